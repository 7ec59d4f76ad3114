import { showNode } from "../editor/edits";
import { findCommonText, type Group, type Line } from "./consequences";

/** Many nodes of one fate are told by the first ones, and by how many there are. */
const MOST = 200;

function Names({ line, leave }: { line: Line; leave: () => void }) {
  if (line.names.length === 0) return <span className="faint">an input of another node</span>;
  return line.names.map((name) => (
    <button
      key={name}
      type="button"
      className="chip"
      title="Show"
      onClick={() => {
        leave();
        showNode(name);
      }}
    >
      {name}
    </button>
  ));
}

function Nodes({ group, leave }: { group: Group; leave: () => void }) {
  const lines = group.lines.slice(0, MOST);
  const bare = lines.every((line) => line.said === lines[0]?.said);
  if (bare)
    return (
      <div className="chips">
        {lines.map((line) => (
          <Names key={line.digest} line={line} leave={leave} />
        ))}
        {lines[0]?.said && <span className="faint">{findCommonText(lines, lines[0].said)}</span>}
      </div>
    );
  return (
    <ul>
      {lines.map((line) => (
        <li key={line.digest} className="chips">
          <Names line={line} leave={leave} /> <span className="faint">{line.said}</span>
        </li>
      ))}
    </ul>
  );
}

/** What happens to which nodes; a node's name leads to it. */
export function Groups({ groups, leave }: { groups: Group[]; leave: () => void }) {
  return groups.map((group) => (
    <section key={group.id} className="fates" data-testid={`fate-${group.id}`}>
      <h3>
        {group.title} <span className="faint">{group.lines.length}</span>
      </h3>
      <Nodes group={group} leave={leave} />
      {group.lines.length > MOST && <p className="faint">and {group.lines.length - MOST} more</p>}
    </section>
  ));
}
