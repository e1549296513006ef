// What a request does, read from its method and path alone, as the server's request info would say it.

export function verbOf(method: string, target: string): string {
  const [path = "", query = ""] = target.split("?");
  if (method === "POST") return "CREATE";
  if (method === "PUT") return "UPDATE";
  if (method === "PATCH") return "PATCH";
  const named = namesObject(path);
  if (method === "DELETE") return named ? "DELETE" : "DELETECOLLECTION";
  if (/(^|&)watch=(true|1)(&|$)/.test(query)) return "WATCH";
  return named ? "GET" : "LIST";
}

/** Whether the path goes on after the resource; everything outside the API counts as one object. */
function namesObject(path: string): boolean {
  const steps = path.split("/").filter((step) => step !== "");
  if (steps[0] !== "api" && steps[0] !== "apis") return true;
  let rest = steps.slice(steps[0] === "api" ? 2 : 3);
  if (rest[0] === "namespaces" && rest.length >= 3) rest = rest.slice(2);
  return rest.length !== 1;
}
