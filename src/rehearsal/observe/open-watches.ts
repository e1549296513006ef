// How many watches the API servers hold open, and the most they ever held: all, those of single objects (as kubelets of
// some versions watch Secrets and ConfigMaps), and those of one node.

export interface OpenWatch {
  /** Whose it is. */
  readonly node: string;
  readonly ofObject: boolean;
}

export class OpenWatches {
  open = 0;
  peak = 0;
  objects = 0;
  objectsPeak = 0;
  nodePeak = 0;
  readonly #objectsByNode = new Map<string, number>();

  begin({ node, ofObject }: OpenWatch): void {
    this.open++;
    this.peak = Math.max(this.peak, this.open);
    if (ofObject) this.#countObject(node, 1);
  }

  end({ node, ofObject }: OpenWatch): void {
    this.open--;
    if (ofObject) this.#countObject(node, -1);
  }

  #countObject(node: string, change: 1 | -1): void {
    const ofNode = (this.#objectsByNode.get(node) ?? 0) + change;
    this.#objectsByNode.set(node, ofNode);
    this.objects += change;
    this.objectsPeak = Math.max(this.objectsPeak, this.objects);
    this.nodePeak = Math.max(this.nodePeak, ofNode);
  }
}
