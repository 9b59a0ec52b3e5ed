// Prints each possible mutant of scripts of pages as one line of JSON, as the program lethe-mutants does for Rust.
// node mutants.mjs --root FOLDER FILE…

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parse } from "acorn";
import { ancestor } from "acorn-walk";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { root: { type: "string", default: "." } } });

const OPPOSITES = {
  "<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "===", "==": "!=", "!=": "==",
  "&&": "||", "||": "&&", "+": "-", "-": "+", "*": "/", "/": "*",
};
const COMPARISONS = ["<", "<=", ">", ">=", "===", "!==", "==", "!="];
const METHODS = { some: "every", every: "some", unshift: "push", push: "unshift", shift: "pop", pop: "shift", min: "max", max: "min" };
const FILTERS = ["every", "filter", "find", "findIndex", "some"];
/** Bytes of an expression around a number or a bool up to which it is shown with it. */
const SHOWN = 80;

/** A script is a module, or a part of one. */
function read(text) {
  const options = { ecmaVersion: "latest", locations: true, allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true };
  try {
    return parse(text, { ...options, sourceType: "module" });
  } catch {
    return parse(text, { ...options, sourceType: "script" });
  }
}

const isFunction = (node) => /Function/.test(node.type);
const isText = (node) =>
  node.type === "TemplateLiteral" || typeof node.value === "string" || (node.type === "BinaryExpression" && (isText(node.left) || isText(node.right)));

/** The name of the innermost function that has one. */
function nameOf(ancestors) {
  for (let at = ancestors.length - 1; at >= 0; at -= 1) {
    const [node, parent] = [ancestors[at], ancestors[at - 1]];
    if (!isFunction(node)) continue;
    const named = node.id ?? (parent?.value === node ? parent.key : parent?.init === node ? parent.id : null);
    if (named?.name) return named.name;
  }
  return "";
}

function mutantsOf(file, text) {
  const mutants = [];
  const negated = new Set();
  const bytes = (at) => Buffer.byteLength(text.slice(0, at));
  const oneLine = (code) => code.replace(/\s*\n\s*/g, " ").trim();
  /** Adds the mutant in which `by` stands for `node`, shown with the code of `around`. */
  const add = (operator, ancestors, node, by, around = node) => {
    const shown = around.end - around.start <= SHOWN ? around : node;
    const becomes = text.slice(shown.start, node.start) + by + text.slice(node.end, shown.end);
    mutants.push({
      file,
      line: node.loc.start.line,
      function: nameOf(ancestors),
      operator,
      code: oneLine(text.slice(shown.start, shown.end)),
      becomes: oneLine(becomes),
      edits: [{ begin: bytes(node.start), end: bytes(node.end), with: by }],
    });
  };
  const codeOf = (node) => text.slice(node.start, node.end);
  const negate = (operator, ancestors, node) => {
    if (!node || negated.has(node.start + ":" + node.end)) return;
    negated.add(node.start + ":" + node.end);
    add(operator, ancestors, node, `!(${codeOf(node)})`);
  };
  const swap = (operator, ancestors, node, at) => {
    const before = text.slice(node.start, at.left.end);
    const between = text.slice(at.left.end, at.right.start).replace(node.operator, OPPOSITES[node.operator]);
    add(operator, ancestors, node, before + between + text.slice(at.right.start, node.end));
  };
  const parentOf = (ancestors) => ancestors.at(-2);

  ancestor(read(text), {
    IfStatement: (node, _, all) => negate("negate-condition", all, node.test),
    WhileStatement: (node, _, all) => negate("negate-condition", all, node.test),
    DoWhileStatement: (node, _, all) => negate("negate-condition", all, node.test),
    ForStatement: (node, _, all) => negate("negate-condition", all, node.test),
    ConditionalExpression: (node, _, all) => negate("negate-condition", all, node.test),
    BinaryExpression(node, _, all) {
      if (COMPARISONS.includes(node.operator)) swap("move-comparison", all, node, node);
      else if (OPPOSITES[node.operator] && !isText(node)) swap("swap-arithmetic", all, node, node);
    },
    LogicalExpression(node, _, all) {
      if (!OPPOSITES[node.operator]) return;
      const sides = [node.left, node.right].map((side) => (side.type === "LogicalExpression" ? `(${codeOf(side)})` : codeOf(side)));
      add("swap-and-or", all, node, sides.join(` ${OPPOSITES[node.operator]} `));
    },
    ExpressionStatement(node, _, all) {
      if (!node.directive && /Call|Assignment|Update|Await/.test(node.expression.type)) add("remove-statement", all, node, ";");
    },
    Literal(node, _, all) {
      const around = parentOf(all) ?? node;
      if (typeof node.value === "number" && Number.isInteger(node.value)) {
        add("change-number", all, node, String(node.value === 1 ? 0 : node.value + 1), around);
      } else if (typeof node.value === "boolean") add("negate-boolean", all, node, String(!node.value), around);
    },
    CallExpression(node, _, all) {
      const method = node.callee.type === "MemberExpression" && !node.callee.computed ? node.callee.property : null;
      if (!method) return;
      const [first] = node.arguments;
      if (FILTERS.includes(method.name) && first?.expression) negate("negate-filter", all, first.body);
      if (Object.hasOwn(METHODS, method.name)) add("swap-method", all, method, METHODS[method.name], node.callee);
    },
  });
  return mutants.filter((mutant) => mutant.code !== mutant.becomes);
}

for (const file of positionals) {
  const text = readFileSync(join(values.root, file), "utf8");
  for (const mutant of mutantsOf(file, text)) console.log(JSON.stringify(mutant));
}
