/**
 * Markdown as elements of the page. Each kind of Markdown has its own element and no other: HTML is shown as it is written,
 * pictures as their description, and links lead only to addresses of the web, of mail, and of this product.
 */
import type { Nodes, Parents } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { Fragment, type ReactNode, useMemo } from "react";

const SAFE_LINK = /^(?:https?:\/\/|mailto:|\/(?![/\\])|#)/i;

function Children({ of }: { of: Parents }) {
  return of.children.map((child, i) => <Fragment key={i}>{elementOf(child)}</Fragment>);
}

function linkOf(url: string, words: ReactNode): ReactNode {
  if (!SAFE_LINK.test(url)) return words;
  return (
    <a href={url} rel="noopener noreferrer">
      {words}
    </a>
  );
}

/** Of headings the greatest is one below the head of the chart. */
const HEADINGS = ["h3", "h4", "h5", "h6", "h6", "h6"] as const;

/** What is an element with all that is in it, and nothing more. */
const PLAIN = {
  paragraph: "p",
  strong: "strong",
  emphasis: "em",
  listItem: "li",
  blockquote: "blockquote",
} as const;

const isPlain = (node: Nodes): node is Extract<Nodes, { type: keyof typeof PLAIN }> => node.type in PLAIN;

function elementOf(node: Nodes): ReactNode {
  const Tag = tagOf(node);
  if (Tag !== null && "children" in node)
    return (
      <Tag>
        <Children of={node} />
      </Tag>
    );
  switch (node.type) {
    case "text":
    case "html":
      return node.value;
    case "inlineCode":
      return <code>{node.value}</code>;
    case "code":
      return <pre>{node.value}</pre>;
    case "link":
      return linkOf(node.url, <Children of={node} />);
    case "break":
      return <br />;
    case "thematicBreak":
      return <hr />;
    case "image":
      return node.alt;
    default:
      return "children" in node ? <Children of={node} /> : null;
  }
}

function tagOf(node: Nodes) {
  if (isPlain(node)) return PLAIN[node.type];
  if (node.type === "heading") return HEADINGS[node.depth - 1] ?? "h6";
  if (node.type === "list") return node.ordered ? "ol" : "ul";
  return null;
}

/** The parser takes time and stack by the square of these; the words of a dashboard have a hundredth of them. */
const MAX_DEPTH = 50;
const MAX_MARKS_PER_BLOCK = 2_000;
const DEEP_LINE = /^[ \t]*(?:(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$))[ \t]*){20}/m;

const hasManyMarks = (block: string): boolean =>
  block.length > MAX_MARKS_PER_BLOCK && (block.match(/[*_[\]()<>`!\\&]/g)?.length ?? 0) > MAX_MARKS_PER_BLOCK;

function isDeep(root: Nodes): boolean {
  let level: Nodes[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((node) => ("children" in node ? node.children : []));
  }
  return false;
}

/** Return the parsed words, or null where they are too entangled to be parsed and drawn at once. */
function parseMarkdown(text: string): Parents | null {
  if (DEEP_LINE.test(text) || text.split(/\n[ \t]*\n/).some(hasManyMarks)) return null;
  const root = fromMarkdown(text);
  return isDeep(root) ? null : root;
}

export default function Markdown({ text }: { text: string }) {
  const root = useMemo(() => parseMarkdown(text), [text]);
  return root === null ? <pre>{text}</pre> : <Children of={root} />;
}
