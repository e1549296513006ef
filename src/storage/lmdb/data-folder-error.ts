// The one error of opening a data folder: the message says what is wrong and what the operator can do.

export class DataFolderError extends Error {
  override readonly name = "DataFolderError";
  readonly folder: string;

  constructor(folder: string, message: string, options?: ErrorOptions) {
    super(`data folder ${folder}: ${message}`, options);
    this.folder = folder;
  }
}
