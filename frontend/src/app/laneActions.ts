/** What the lanes of all pages offer beside the look at them. */
import { IncidentMarks } from "../alerts/IncidentMarks";
import { registerLaneActions } from "../live/laneActions";
import { useStudio } from "../plans/editor/store";
import { ask } from "../plans/why/store";
import { PinButton } from "./studio/PinButton";

registerLaneActions({
  Marks: IncidentMarks,
  Pin: PinButton,
  explain: (question) => void ask({ ...question, plan: useStudio.getState().plan?.id ?? null }),
});
