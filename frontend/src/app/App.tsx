import { lazy, Suspense, useEffect } from "react";
import { api } from "../core/api/client";
import type { Me } from "../core/api/types";
import { DashboardsPage } from "../dashboards/DashboardsPage";
import { NodesPage } from "../nodes/NodesPage";
import { PlansPage } from "../plans/PlansPage";
import { StreamsPage } from "../streams/StreamsPage";
import { MenuHost } from "../core/ui/ContextMenu";
import { placeOf, routeOf, type Route } from "../core/shell/route";
import { hear, recall, useTour } from "../core/tour/store";
import { TokensPage } from "../people/TokensPage";
import { NotAvailable } from "../core/ui/NotAvailable";
import { Guard } from "../core/ui/Guard";
import { Header } from "../core/shell/Header";
import { Loading } from "../core/ui/Loading";
import { useZone } from "../core/time/zone";
import { useLoaded } from "../core/ui/useLoaded";

const StudioPage = lazy(() =>
  import("./studio/StudioPage").then((module) => ({ default: module.StudioPage })),
);

const DeclarePage = lazy(() =>
  import("../streams/DeclarePage").then((module) => ({ default: module.DeclarePage })),
);
const StreamPage = lazy(() =>
  import("../streams/StreamPage").then((module) => ({ default: module.StreamPage })),
);

const DashboardPage = lazy(() => import("./BoardPage").then((module) => ({ default: module.DashboardPage })));

const PublicBoardPage = lazy(() =>
  import("./BoardPage").then((module) => ({ default: module.PublicBoardPage })),
);

const Tour = lazy(() => import("../core/tour/Tour").then((module) => ({ default: module.Tour })));
const AuditPage = lazy(() => import("../people/AuditPage").then((module) => ({ default: module.AuditPage })));
const PeoplePage = lazy(() =>
  import("../people/PeoplePage").then((module) => ({ default: module.PeoplePage })),
);
const LooksPage = lazy(() => import("../people/LooksPage").then((module) => ({ default: module.LooksPage })));
const OperationsPage = lazy(() =>
  import("./OperationsPage").then((module) => ({ default: module.OperationsPage })),
);
const StoragePage = lazy(() => import("./StoragePage").then((module) => ({ default: module.StoragePage })));
const NodePage = lazy(() => import("./NodePage").then((module) => ({ default: module.NodePage })));

const AlertsPage = lazy(() =>
  import("../alerts/AlertsPage").then((module) => ({ default: module.AlertsPage })),
);
const AlertPage = lazy(() => import("../alerts/AlertPage").then((module) => ({ default: module.AlertPage })));
const IncidentRoute = lazy(() =>
  import("./IncidentRoute").then((module) => ({ default: module.IncidentRoute })),
);

const IncidentsPage = lazy(() =>
  import("../alerts/IncidentsPage").then((module) => ({ default: module.IncidentsPage })),
);
const SilencesPage = lazy(() =>
  import("../alerts/SilencesPage").then((module) => ({ default: module.SilencesPage })),
);
const ChannelsPage = lazy(() =>
  import("../alerts/ChannelsPage").then((module) => ({ default: module.ChannelsPage })),
);

function Page({ route, me }: { route: Route; me: Me | null }) {
  switch (route.page) {
    case "plans":
      return <PlansPage me={me} />;
    case "streams":
      return <StreamsPage me={me} />;
    case "declare":
      return <DeclarePage me={me} />;
    case "stream":
      return <StreamPage me={me} name={route.name} />;
    case "dashboards":
      return <DashboardsPage me={me} />;
    case "dashboard":
      return <DashboardPage me={me} id={route.id} kiosk={route.kiosk} />;
    case "public":
      return <PublicBoardPage />;
    case "audit":
      return <AuditPage me={me} />;
    case "people":
      return <PeoplePage me={me} />;
    case "alerts":
      return <AlertsPage me={me} />;
    case "alert":
      return <AlertPage me={me} id={route.id} />;
    case "incident":
      return <IncidentRoute me={me} id={route.id} />;
    case "incidents":
      return <IncidentsPage me={me} />;
    case "silences":
      return <SilencesPage me={me} />;
    case "channels":
      return <ChannelsPage me={me} />;
    case "nodes":
      return <NodesPage me={me} />;
    case "node":
      return <NodePage me={me} digest={route.digest} />;
    case "tokens":
      return <TokensPage me={me} />;
    case "operations":
      return <OperationsPage me={me} />;
    case "storage":
      return <StoragePage me={me} />;
    case "looks":
      return <LooksPage me={me} />;
    case "studio":
      return <StudioPage me={me} id={route.id} />;
    case "none":
      return (
        <>
          <Header me={me} here="plans" />
          <NotAvailable title="Page not found" words={`${window.location.pathname} does not exist.`} link="/">
            All plans
          </NotAvailable>
        </>
      );
  }
}

const isWithoutHeader = (route: Route): boolean =>
  route.page === "public" || (route.page === "dashboard" && route.kiosk);

/** Whoever has a public link is nobody here. */
const fetchNobody = (): Promise<Me | null> => Promise.resolve(null);

/** A page whose program is being fetched: a wall has no header. */
function Coming({ route, me }: { route: Route; me: Me | null }) {
  return (
    <>
      {!isWithoutHeader(route) && <Header me={me} here={placeOf(route)} />}
      <Loading what="the page" page />
    </>
  );
}

export function App({ path }: { path: string }) {
  // Every time on the page is drawn anew by the clocks of another zone.
  useZone();
  const route = routeOf(path);
  const { value: me } = useLoaded<Me | null>(route.page === "public" ? fetchNobody : api.me);
  const user = me?.username;
  const isTouring = useTour((state) => state.going === "on");
  useEffect(() => {
    if (user !== undefined) recall(user);
  }, [user]);
  useEffect(() => {
    window.addEventListener("storage", hear);
    return () => window.removeEventListener("storage", hear);
  }, []);
  return (
    <>
      <Guard what="This page" page>
        <Suspense fallback={<Coming route={route} me={me} />}>
          <Page route={route} me={me} />
        </Suspense>
      </Guard>
      {isTouring && (
        <Suspense fallback={null}>
          <Tour />
        </Suspense>
      )}
      <MenuHost />
    </>
  );
}
