import "./templates.css";
import { useEffect, useState } from "react";
import { describeError } from "../../core/api/client";
import { refusesMaking } from "../../core/api/rights";
import { Dialog } from "../../core/ui/Dialog";
import { DialogFoot } from "../../core/ui/DialogFoot";
import { useStudio } from "../editor/store";
import { createPlan } from "./create";
import { countEvents, groupByWork, loadTemplates, selectTemplates, type Template } from "./templates";

function useTemplates(): { templates: readonly Template[]; failure: string | null } {
  const [templates, setTemplates] = useState<readonly Template[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    loadTemplates().then(setTemplates, (error: unknown) => setFailure(describeError(error)));
  }, []);
  return { templates, failure };
}

interface ListProps {
  templates: readonly Template[];
  chosen: Template | null;
  choose: (template: Template) => void;
}

function TemplateList({ templates, chosen, choose }: ListProps) {
  return (
    <div className="template-list" data-testid="templates">
      {groupByWork(templates).map(([work, members]) => (
        <section key={work}>
          <h3>{work}</h3>
          <ul>
            {members.map((template) => (
              <li key={template.title}>
                <button
                  type="button"
                  className="template"
                  aria-pressed={template === chosen}
                  title={template.asked}
                  onClick={() => choose(template)}
                >
                  {template.title}
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {templates.length === 0 && (
        <p className="faint" role="status">
          No template matches. Try another word, such as “funnel”, “uptime” or “session”.
        </p>
      )}
    </div>
  );
}

function Chosen({ template }: { template: Template | null }) {
  if (template === null) return <p className="template-detail faint">Choose a template to see its plan.</p>;
  const streams = Object.keys(template.events);
  return (
    <div className="template-detail" data-testid="template-detail" aria-live="polite">
      <p>{template.asked}</p>
      <pre tabIndex={0} aria-label="The plan as text">
        {template.plan.join("\n")}
      </pre>
      <p className="faint">
        Creates the plan, {streams.length === 1 ? "the stream" : "the streams"} {streams.join(" and ")} unless
        declared already, and a sample of {countEvents(template)} events.
      </p>
    </div>
  );
}

/** Questions that others ask, each with a plan and events: one of them becomes a new plan. */
export default function TemplatesDialog({ close }: { close: () => void }) {
  const { templates, failure } = useTemplates();
  const [search, setSearch] = useState("");
  const [chosen, setChosen] = useState<Template | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const looks = useStudio(({ me }) => refusesMaking(me));
  const create = async () => {
    if (chosen === null || busy) return;
    setBusy(true);
    setRefusal(null);
    try {
      window.location.assign(await createPlan(chosen));
    } catch (error) {
      setRefusal(describeError(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title="New plan from a template" close={close}>
      <input
        type="search"
        placeholder="Search by question, field of work or other words"
        aria-label="Search templates"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <div className="templates">
        <TemplateList templates={selectTemplates(templates, search)} chosen={chosen} choose={setChosen} />
        <Chosen template={chosen} />
      </div>
      <DialogFoot
        failure={refusal ?? failure}
        go={() => void create()}
        refusal={looks ?? (chosen === null ? "Choose a template first." : null)}
        busy={busy}
        testid="create-from-template"
        close={close}
      >
        {busy ? "Please wait…" : "Create plan"}
      </DialogFoot>
    </Dialog>
  );
}
