// $((…)): whole numbers, variables, + - * / % and comparisons, without nesting. Pure.

/** What cannot be read counts as 0. */
export function evaluateSum(text: string, variable: (name: string) => string): number {
  const tokens = text.match(/\d+|\$?[A-Za-z_]\w*|[<>=!]=|[-+*/%<>]/g) ?? [];
  let at = 0;
  const value = (): number => {
    const token = tokens[at++] ?? "0";
    if (token === "-") return -value();
    if (/^\d/.test(token)) return Number(token);
    return Number.parseInt(variable(token.replace("$", "")), 10) || 0;
  };
  const climb = (rank: number): number => {
    let left = value();
    for (;;) {
      const operator = tokens[at] ?? "";
      const own = ranks[operator] ?? -1;
      if (own < rank) return left;
      at++;
      left = apply(operator, left, climb(own + 1));
    }
  };
  return climb(0);
}

const ranks: Readonly<Record<string, number>> = {
  "<": 0,
  ">": 0,
  "<=": 0,
  ">=": 0,
  "==": 0,
  "!=": 0,
  "+": 1,
  "-": 1,
  "*": 2,
  "/": 2,
  "%": 2,
};

function apply(operator: string, left: number, right: number): number {
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return right === 0 ? 0 : Math.trunc(left / right);
    case "%":
      return right === 0 ? 0 : left % right;
    case "<":
      return Number(left < right);
    case ">":
      return Number(left > right);
    case "<=":
      return Number(left <= right);
    case ">=":
      return Number(left >= right);
    case "==":
      return Number(left === right);
    default:
      return Number(left !== right);
  }
}
