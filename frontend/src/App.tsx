import { lazy, Suspense, useEffect } from "react";
import { api } from "./api/client";
import type { Me } from "./api/types";
import { DashboardsPage } from "./pages/DashboardsPage";
import { NodesPage } from "./pages/NodesPage";
import { PlansPage } from "./pages/PlansPage";
import { StreamsPage } from "./pages/StreamsPage";
import { MenuHost } from "./core/ui/ContextMenu";
import { placeOf, routeOf, type Route } from "./route";
import { hear, recall } from "./tour/store";
import { TokensPage } from "./tokens/TokensPage";
import { Tour } from "./tour/Tour";
import { Gone } from "./ui/Gone";
import { Guard } from "./ui/Guard";
import { Header } from "./ui/Header";
import { Loading } from "./ui/Loading";
import { useLoaded } from "./ui/useLoaded";

const StudioPage = lazy(() =>
  import("./pages/StudioPage").then((module) => ({ default: module.StudioPage })),
);

const DeclarePage = lazy(() =>
  import("./streams/DeclarePage").then((module) => ({ default: module.DeclarePage })),
);
const StreamPage = lazy(() =>
  import("./streams/StreamPage").then((module) => ({ default: module.StreamPage })),
);

const DashboardPage = lazy(() =>
  import("./pages/DashboardPage").then((module) => ({ default: module.DashboardPage })),
);

const AuditPage = lazy(() => import("./pages/AuditPage").then((module) => ({ default: module.AuditPage })));
const PeoplePage = lazy(() =>
  import("./pages/PeoplePage").then((module) => ({ default: module.PeoplePage })),
);
const LooksPage = lazy(() => import("./core/ui/LooksPage").then((module) => ({ default: module.LooksPage })));
const NodePage = lazy(() => import("./pages/NodePage").then((module) => ({ default: module.NodePage })));

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
    case "audit":
      return <AuditPage me={me} />;
    case "people":
      return <PeoplePage me={me} />;
    case "nodes":
      return <NodesPage me={me} />;
    case "node":
      return <NodePage me={me} digest={route.digest} />;
    case "tokens":
      return <TokensPage me={me} />;
    case "looks":
      return <LooksPage me={me} />;
    case "studio":
      return <StudioPage me={me} id={route.id} />;
    case "none":
      return (
        <>
          <Header me={me} here="plans" />
          <Gone title="Page not found" words={`${window.location.pathname} does not exist.`} link="/">
            All plans
          </Gone>
        </>
      );
  }
}

/** A page whose program is being fetched: a wall has no header. */
function Coming({ route, me }: { route: Route; me: Me | null }) {
  return (
    <>
      {!(route.page === "dashboard" && route.kiosk) && <Header me={me} here={placeOf(route)} />}
      <Loading what="the page" page />
    </>
  );
}

export function App({ path }: { path: string }) {
  const route = routeOf(path);
  const { value: me } = useLoaded(api.me);
  const user = me?.username;
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
      <Tour />
      <MenuHost />
    </>
  );
}
