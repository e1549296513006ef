// What keys do in `wavetank top`, as a pure function, and the line at the foot of the screen that says so.
import { type TopView, groupings, sortKeys } from "./top-table.ts";

export interface LiveState {
  readonly view: TopView;
  /** A filter is being typed: what it was before. */
  readonly typing: { readonly before: string } | undefined;
}

const escape = "\u001B";
const interrupt = "\u0003";
const backspaces = new Set(["\u007F", "\b"]);

/** Arrows and their like, which come as several characters, or one. */
const oneKey = new RegExp(`${escape}(?:\\[[\\d;]*.|O.)|[^]`, "gu");

/** `sent`: what the terminal sent at once: a key, several, or a text that was pasted. Undefined: the end. */
export function press(state: LiveState, sent: string): LiveState | undefined {
  let next: LiveState | undefined = state;
  for (const [key] of sent.matchAll(oneKey)) next &&= pressOne(next, key);
  return next;
}

function pressOne(state: LiveState, key: string): LiveState | undefined {
  if (key === interrupt) return undefined;
  if (key.startsWith(escape) && key.length > 1) return state;
  if (state.typing !== undefined) return typed(state, key, state.typing.before);
  if (key === "q" || key === escape) return undefined;
  return { ...state, ...commanded(state.view, key) };
}

function commanded(view: TopView, key: string): Partial<LiveState> {
  switch (key) {
    case "/":
      return { typing: { before: view.filter } };
    case "b":
      return { view: { ...view, by: after(groupings, view.by) } };
    case "s":
      return { view: { ...view, sort: after(sortKeys, view.sort) } };
    case "t":
      return { view: { ...view, span: view.span === "total" ? "window" : "total" } };
    default:
      return {};
  }
}

function typed(state: LiveState, key: string, before: string): LiveState {
  const { view } = state;
  if (key === "\r" || key === "\n") return { view, typing: undefined };
  if (key === escape) return { view: { ...view, filter: before }, typing: undefined };
  if (backspaces.has(key))
    return { ...state, view: { ...view, filter: view.filter.replace(/.$/u, "") } };
  return /\p{Cc}/u.test(key) ? state : { ...state, view: { ...view, filter: view.filter + key } };
}

function after<T>(all: readonly T[], one: T): T {
  return all[(all.indexOf(one) + 1) % all.length]!;
}

export function footer({ view, typing }: LiveState): string {
  if (typing !== undefined) return `filter: ${view.filter}_   Enter keep   Esc undo`;
  const filter = view.filter === "" ? "" : `: ${view.filter}`;
  const span = view.span === "total" ? "since the start" : "last minutes";
  return `q quit   / filter${filter}   b by ${view.by}   s sort by ${view.sort}   t ${span}`;
}
