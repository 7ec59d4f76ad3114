import { IncidentPage } from "../alerts/IncidentPage";
import type { Me } from "../core/api/types";
import { IncidentLanes } from "./IncidentLanes";

/** The page of an incident, with the lanes around it. */
export function IncidentRoute({ me, id }: { me: Me | null; id: number }) {
  return <IncidentPage me={me} id={id} Lanes={IncidentLanes} />;
}
