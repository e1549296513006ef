// Which pull policy an image gets that names none: images that move (`latest`, said or implied) are always pulled. What is
// no image reference has no tag that could move.
const component = "[a-z0-9]+(?:(?:\\.|__?|-+)[a-z0-9]+)*";
const host = "(?:[a-zA-Z0-9.-]+|\\[[0-9a-fA-F:]+\\])(?::[0-9]+)?";
const tag = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}";
const digest = "[A-Za-z][A-Za-z0-9+.-]*:[0-9a-fA-F]{32,}";
const reference = new RegExp(
  `^(?:${host}/)?(?<path>${component}(?:/${component})*)(?::(?<tag>${tag}))?(?:@(?<digest>${digest}))?$`,
);
const pathMax = 255;

/** `Always` when the tag is `latest` or there is neither tag nor digest, else `IfNotPresent`. */
export function defaultImagePullPolicy(image: string): "Always" | "IfNotPresent" {
  const parts = reference.exec(image)?.groups;
  if (parts === undefined || parts["path"]!.length > pathMax) return "IfNotPresent";
  if (parts["tag"] === "latest") return "Always";
  return parts["tag"] === undefined && parts["digest"] === undefined ? "Always" : "IfNotPresent";
}
