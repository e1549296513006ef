// Which components make a cluster out of a server, by the name under which they act. Order is not important: each
// waits for the views it needs.
import type { ComponentFactory } from "../informer/component.ts";

export const components: readonly (readonly [name: string, factory: ComponentFactory])[] = [];
