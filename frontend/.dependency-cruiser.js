/**
 * The rooms of the page and the fences between them: core < timechart < features < app. A room knows what lies below it, and
 * no other room of its own floor. `npm run lint` checks them.
 */

const FEATURES = ["streams", "sinks", "plans", "nodes", "live", "people", "dashboards", "samples", "alerts"];
const ABOVE_EDITOR = "^src/plans/(?!editor/)";

/** What may be reached now though a fence is in its way, and why. Few, and fewer with time. */
const EXCEPTIONS = {
  // A file that becomes a sample is mapped as one that becomes a stream: the wizard's table and its guess serve both.
  wizard: "^src/streams/(MappingTable\\.tsx|mapping\\.ts|sample\\.ts|useGuess\\.ts)$",
  // Samples and tests are tried on the plan that is open: its document, its problems and its selection are in the studio's store.
  openPlan: "^src/plans/editor/(store|edits)\\.ts$",
};

const feature = (name) => ({
  name: `${name}-is-independent`,
  comment: "Features know nothing of each other: what two of them need lies in core, what joins them in app.",
  severity: "error",
  from: { path: `^src/${name}/` },
  to: {
    path: `^src/(${FEATURES.filter((other) => other !== name).join("|")})/`,
    ...(name === "samples" && { pathNot: [EXCEPTIONS.wizard, EXCEPTIONS.openPlan] }),
  },
});

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    {
      name: "core-is-the-ground-floor",
      comment: "core serves everything above it, and imports none of it.",
      severity: "error",
      from: { path: "^src/core/" },
      to: { path: "^src/(?!core/)" },
    },
    {
      name: "timechart-knows-core-alone",
      comment:
        "The kit that draws time serves lanes, strips, dashboards and samples: it imports none of them.",
      severity: "error",
      from: { path: "^src/timechart/" },
      to: { path: "^src/(?!core/|timechart/)" },
    },
    ...FEATURES.map(feature),
    {
      name: "nothing-imports-app",
      comment: "app puts the features together, above all of them.",
      severity: "error",
      from: { path: "^src/(?!app/)" },
      to: { path: "^src/app/" },
    },
    {
      name: "the-editor-imports-no-part-of-plans",
      comment:
        "Panels, commands and parts of nodes register with the editor (registerCommands, registerNodeParts).",
      severity: "error",
      from: { path: "^src/plans/editor/" },
      to: { path: ABOVE_EDITOR },
    },
    {
      name: "no-cycle-of-files",
      comment: "Move what both need into a file of its own, below both.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-cycle-of-rooms",
      comment: "Two rooms that need each other are one, or share a third below them.",
      severity: "error",
      scope: "folder",
      from: { path: "^src/" },
      to: { circular: true },
    },
    {
      name: "no-room-without-a-name",
      comment: "A new room belongs into this file, and onto a floor.",
      severity: "error",
      from: { path: "^src/", pathNot: `^src/(core|timechart|${FEATURES.join("|")}|app)/` },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "\\.css$" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
  },
};
