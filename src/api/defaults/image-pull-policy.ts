// Which pull policy an image gets that names none: images that move (`latest`, said or implied) are always pulled.
// Refuses to judge whether the reference is valid.

/** `Always` when the tag is `latest` or there is neither tag nor digest, else `IfNotPresent`. */
export function defaultImagePullPolicy(image: string): "Always" | "IfNotPresent" {
  const digest = image.indexOf("@");
  const reference = digest === -1 ? image : image.slice(0, digest);
  // A colon before the last slash belongs to the registry's port.
  const colon = reference.indexOf(":", reference.lastIndexOf("/") + 1);
  const tag = colon === -1 ? "" : reference.slice(colon + 1);
  if (tag === "latest") return "Always";
  return tag === "" && digest === -1 ? "Always" : "IfNotPresent";
}
