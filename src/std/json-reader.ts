// A JSON reader of our own: exact integers, repeated keys, a depth limit, and errors in Go's words, since clients see
// them. Several times slower than JSON.parse, so json.ts calls it only where that is not enough.

const quote = 0x22;
const backslash = 0x5c;

const literals: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** Longest integer that is read. */
const digitsMax = 1_000;

export class JsonReader {
  private readonly text: string;
  private readonly depthMax: number;
  private readonly duplicates: Map<object, string[]> | undefined;
  private at = 0;

  /** Repeated keys are noted in `duplicates` when it is given. */
  constructor(text: string, depthMax: number, duplicates?: Map<object, string[]>) {
    this.text = text;
    this.depthMax = depthMax;
    this.duplicates = duplicates;
  }

  /** The one value of the text. Throws SyntaxError. */
  read(): unknown {
    const value = this.value(0);
    this.space();
    if (this.at < this.text.length) throw this.unexpected("after top-level value");
    return value;
  }

  private value(depth: number): unknown {
    this.space();
    const char = this.text[this.at];
    if (char === "{") return this.object(depth);
    if (char === "[") return this.array(depth);
    if (char === '"') return this.string();
    if (char === "-" || isDigit(char)) return this.number();
    if (char === "t") return this.literal("true");
    if (char === "f") return this.literal("false");
    if (char === "n") return this.literal("null");
    throw this.unexpected("looking for beginning of value");
  }

  private object(depth: number): object {
    this.descend(depth);
    const members = new Map<string, unknown>();
    const repeated: string[] = [];
    this.space();
    if (this.take("}")) return {};
    for (;;) {
      this.space();
      if (this.text.charCodeAt(this.at) !== quote)
        throw this.unexpected("looking for beginning of object key string");
      const key = this.string();
      this.space();
      if (!this.take(":")) throw this.unexpected("after object key");
      const value = this.value(depth + 1);
      if (members.has(key) && !repeated.includes(key)) repeated.push(key);
      members.set(key, value);
      this.space();
      if (this.take("}")) break;
      if (!this.take(",")) throw this.unexpected("after object key:value pair");
    }
    // Makes own properties of all keys, also of `__proto__`.
    const target = Object.fromEntries(members);
    if (repeated.length > 0) this.duplicates?.set(target, repeated);
    return target;
  }

  private array(depth: number): unknown[] {
    this.descend(depth);
    const target: unknown[] = [];
    this.space();
    if (this.take("]")) return target;
    for (;;) {
      target.push(this.value(depth + 1));
      this.space();
      if (this.take("]")) return target;
      if (!this.take(",")) throw this.unexpected("after array element");
    }
  }

  private descend(depth: number): void {
    if (depth >= this.depthMax) throw new SyntaxError("exceeded max depth");
    this.at++;
  }

  private string(): string {
    const start = ++this.at;
    let result = "";
    let copied = start;
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code === quote) {
        result += this.text.slice(copied, this.at++);
        return result;
      }
      if (code === backslash) {
        result += this.text.slice(copied, this.at) + this.escape();
        copied = this.at;
      } else if (code >= 0x20) this.at++;
      else throw this.unexpected("in string literal");
    }
  }

  private escape(): string {
    this.at++;
    const char = this.text[this.at];
    if (char === "u") return this.unicode();
    const plain = char === undefined ? undefined : escapes[char];
    if (plain === undefined) throw this.unexpected("in string escape code");
    this.at++;
    return plain;
  }

  private unicode(): string {
    this.at++;
    const start = this.at;
    for (; this.at < start + 4; this.at++) {
      if (!/[0-9a-fA-F]/.test(this.text[this.at] ?? ""))
        throw this.unexpected("in \\u hexadecimal character escape");
    }
    return String.fromCharCode(Number.parseInt(this.text.slice(start, this.at), 16));
  }

  private number(): number | bigint {
    const start = this.at;
    this.take("-");
    if (!this.take("0")) this.digits("in numeric literal");
    let whole = true;
    if (this.take(".")) {
      whole = false;
      this.digits("after decimal point in numeric literal");
    }
    if (this.take("e") || this.take("E")) {
      whole = false;
      if (!this.take("+")) this.take("-");
      this.digits("in exponent of numeric literal");
    }
    const token = this.text.slice(start, this.at);
    const value = Number(token);
    if (!whole || Number.isSafeInteger(value)) return value === 0 ? 0 : value;
    // Reading that many digits takes a second, and no field has a use for them.
    if (token.length > digitsMax)
      throw new SyntaxError(`numeric literal of more than ${digitsMax} digits`);
    return BigInt(token);
  }

  private digits(where: string): void {
    if (!isDigit(this.text[this.at])) throw this.unexpected(where);
    while (isDigit(this.text[this.at])) this.at++;
  }

  private literal(word: string): unknown {
    for (const char of word) {
      if (this.text[this.at] !== char)
        throw this.unexpected(`in literal ${word} (expecting '${char}')`);
      this.at++;
    }
    return literals[word];
  }

  private space(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at++;
    }
  }

  private take(char: string): boolean {
    if (this.text[this.at] !== char) return false;
    this.at++;
    return true;
  }

  private unexpected(where: string): SyntaxError {
    const code = this.text.codePointAt(this.at);
    if (code === undefined) return new SyntaxError("unexpected end of JSON input");
    return new SyntaxError(`invalid character ${quoteByte(firstByte(code))} ${where}`);
  }
}

function isDigit(char: string | undefined): boolean {
  return char !== undefined && char >= "0" && char <= "9";
}

/** Go's scanner sees bytes: of a character beyond ASCII it names the first. */
function firstByte(codePoint: number): number {
  if (codePoint < 0x80) return codePoint;
  if (codePoint < 0x800) return 0xc0 | (codePoint >> 6);
  if (codePoint < 0x10000) return 0xe0 | (codePoint >> 12);
  return 0xf0 | (codePoint >> 18);
}

const named: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  "'": "\\'",
};

/** As Go prints a byte in an error: `'x'`, `'\n'`, `'\x01'`. */
function quoteByte(byte: number): string {
  const char = String.fromCharCode(byte);
  const special = named[char];
  if (special !== undefined) return `'${special}'`;
  if (byte < 0x20 || byte === 0x7f) return `'\\x${byte.toString(16).padStart(2, "0")}'`;
  if (byte >= 0x80 && byte < 0xa1) return `'\\u00${byte.toString(16)}'`;
  return `'${char}'`;
}
