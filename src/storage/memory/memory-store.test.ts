import { createNodeHost } from "../../host/node/node-host.ts";
import { storeContract } from "../store.contract.ts";
import { createMemoryStore } from "./memory-store.ts";

const host = createNodeHost("silent", () => undefined);

storeContract("the memory store", async () => {
  const store = createMemoryStore(host);
  return { store, close: () => store.close() };
});
