/** Where prose stands in a tree of Markdown or TypeScript, as text beside the place of each index. */

const BLOCKS = ["paragraph", "heading", "tableCell"];
/** One word that stands for code, of whatever length; its capital lets it begin a sentence. */
const CODE = "Code";
const SEVERAL_WORDS = /\p{L}{2,}[^\p{L}]*\s[^\p{L}]*\p{L}{2,}/u;
const NO_PROSE = new Set(["className", "d", "id", "key", "href", "transform", "viewBox", "style"]);

export function visitMarkdown(report) {
  const visit = (block) => {
    const pieces = flattenBlock(block);
    const text = pieces.map((piece) => piece.text).join("");
    report(text, (index) => locate(pieces, index));
  };
  return Object.fromEntries(BLOCKS.map((type) => [type, visit]));
}

function flattenBlock(node) {
  if (node.type === "inlineCode") return [{ text: CODE, node }];
  if (node.type === "html" || node.type === "image") return [];
  if (node.type === "break") return [{ text: " ", node }];
  return node.children ? node.children.flatMap(flattenBlock) : [{ text: node.value ?? "", node }];
}

function locate(pieces, index) {
  let before = 0;
  for (const { text, node } of pieces) {
    if (index < before + text.length) return locateInPiece(text.slice(0, index - before), node);
    before += text.length;
  }
  return pieces[0].node.position;
}

function locateInPiece(before, { position: { start } }) {
  const lines = before.split("\n");
  const column = lines.length > 1 ? 1 + lines.at(-1).length : start.column + before.length;
  return { line: start.line + lines.length - 1, column };
}

export function visitScript(report) {
  const visit = (node, text) => {
    if (SEVERAL_WORDS.test(text) && !isTechnical(node)) report(text, () => node.loc);
  };
  return {
    JSXText: (node) => visit(node, node.value),
    TemplateLiteral: (node) => visit(node, node.quasis.map((part) => part.value.cooked).join(CODE)),
    Literal: (node) => typeof node.value === "string" && visit(node, node.value),
  };
}

function isTechnical(node) {
  const { parent } = node;
  if (parent.type === "JSXExpressionContainer") return isTechnical(parent);
  return parent.type === "JSXAttribute" && NO_PROSE.has(parent.name.name);
}
