/** The commands of the plan as a whole, and those that leave its page. */
import { refusesMaking } from "../../core/api/rights";
import { askToRun, askToStop } from "../../plans/run/store";
import { copyText, exportJson, exportText, exportWithTests } from "../../plans/transfer/export";
import { openImport } from "../../plans/transfer/store";
import { openSearch } from "../../core/search/store";
import { openVersions } from "../../plans/versions/store";
import { openPlanDialog } from "../../plans/sharing/openDialog";
import { ownerRefusal } from "../../core/sharing/thing";
import type { Command } from "../../plans/editor/command";
import { renamePlanByHand } from "../../plans/editor/panels";
import { refusesApply } from "../../plans/editor/unappliedChanges";
import { jumpToProblem } from "../../plans/editor/problemJump";
import { copy, leaveFor, logOut, save } from "../../plans/drafts/planActions";
import { get, problemsOf, refusesChange, refusesOperating, refusesRun } from "../../plans/editor/store";

export const PLAN: readonly Command[] = [
  {
    title: "Save",
    words: ["draft"],
    section: "Plan",
    keys: ["Ctrl+S"],
    typing: true,
    run: () => void save(),
    refuses: () => refusesChange(get()),
  },
  {
    title: "Run, or apply the changes",
    section: "Plan",
    keys: ["Ctrl+Enter"],
    typing: true,
    run: () => void askToRun(),
    refuses: () => refusesApply(get()),
  },
  {
    title: "Change the execution",
    words: ["placement", "together", "isolated", "queries"],
    section: "Plan",
    keys: [],
    run: () => void askToRun(),
    refuses: () => (get().plan?.running ? refusesRun(get()) : "The plan does not run."),
  },
  {
    title: "Stop",
    words: ["end", "halt"],
    section: "Plan",
    keys: [],
    run: () => void askToStop(),
    refuses: () => (get().plan?.running ? refusesOperating(get()) : "The plan does not run."),
  },
  {
    title: "Versions: save, compare, restore",
    section: "Plan",
    keys: [],
    run: () => void openVersions(),
    refuses: () => (get().plan ? null : "The plan is not saved yet."),
  },
  ...(
    [
      ["access", "Share the plan", ["access", "rights", "people", "team"]],
      ["transfer", "Change the owner of the plan", ["owner", "give"]],
      ["activity", "Activity of the plan", ["audit", "history", "who"]],
    ] as const
  ).map(([asked, title, words]): Command => ({
    title,
    words,
    section: "Plan",
    keys: [],
    run: () => openPlanDialog(asked),
    refuses: () => {
      const { plan } = get();
      if (plan === null) return "The plan is not saved yet.";
      return asked === "transfer" ? ownerRefusal(plan) : null;
    },
  })),
  {
    title: "Next problem",
    section: "Plan",
    keys: ["F8"],
    typing: true,
    run: () => jumpToProblem(1),
    refuses: () => (problemsOf(get()).length > 0 ? null : "There are no problems."),
  },
  {
    title: "Previous problem",
    section: "Plan",
    keys: ["Shift+F8"],
    typing: true,
    run: () => jumpToProblem(-1),
    refuses: () => (problemsOf(get()).length > 0 ? null : "There are no problems."),
  },
  { title: "Rename the plan", section: "Plan", keys: [], run: renamePlanByHand },
  {
    title: "Export as JSON",
    section: "Plan",
    keys: [],
    words: ["download", "save as", "file"],
    run: () => void exportJson(),
  },
  {
    title: "Export as text",
    section: "Plan",
    keys: [],
    words: ["download", "save as", "file"],
    run: () => void exportText(),
  },
  {
    title: "Export with its tests",
    section: "Plan",
    keys: [],
    words: ["download", "samples", "file"],
    run: () => void exportWithTests(),
  },
  { title: "Copy as text", section: "Plan", keys: [], words: ["clipboard"], run: () => void copyText() },
  {
    title: "Import a plan",
    section: "Plan",
    keys: [],
    words: ["upload", "open", "file", "paste", "add"],
    run: () => openImport(),
  },
  {
    title: "Duplicate the plan",
    section: "Plan",
    keys: [],
    words: ["duplicate", "fork"],
    run: () => void copy(),
    refuses: () => refusesMaking(get().me) ?? (get().busy === null ? null : "Wait a moment."),
  },
];

const leaving = (title: string, address: string, words: readonly string[] = []): Command => ({
  title,
  section: "Go",
  keys: [],
  words,
  run: () => void leaveFor(address),
});

export const GO: readonly Command[] = [
  {
    title: "Search everything",
    section: "Go",
    keys: ["/"],
    words: ["find", "plans", "nodes", "streams", "dashboards"],
    run: openSearch,
  },
  leaving("Go to the plans", "/", ["list", "home"]),
  { ...leaving("New plan", "/plans/new/", ["create"]), refuses: () => refusesMaking(get().me) },
  leaving("Go to the dashboards", "/dashboards/"),
  leaving("Go to the streams", "/streams/"),
  leaving("Go to the nodes", "/nodes/"),
  leaving("Go to the alerts", "/alerts/", ["incidents", "firing", "alarms"]),
  leaving("Go to the activity of all", "/audit/", ["audit", "history", "who"]),
  leaving("Go to your tokens", "/tokens/", ["api", "key", "account"]),
  leaving("Go to the REST API reference", "/api/docs/", ["rest", "openapi"]),
  { title: "Log out", section: "Go", keys: [], run: () => void logOut() },
];
