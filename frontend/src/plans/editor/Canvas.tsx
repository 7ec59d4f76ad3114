import {
  Background,
  ControlButton,
  Controls,
  ReactFlow,
  useReactFlow,
  useStore,
  useStoreApi,
  type Edge,
  type FinalConnectionState,
  type Node,
  type ReactFlowProps,
  type Viewport,
} from "@xyflow/react";
import {
  useEffect,
  useLayoutEffect,
  useRef,
  type RefObject,
  useState,
  type DragEvent,
  type FocusEvent,
  type MouseEvent as ReactMouseEvent,
} from "react";
import type { Wire } from "../../core/graph/document";
import { refusesWire } from "../../core/graph/wiring";
import { useDark } from "../../core/ui/theme";
import { toWire } from "./toWire";
import { onNodeMenu, onPaneMenu, onWireMenu } from "./canvasMenus";
import { CommentNote } from "./CommentNote";
import { DRAGGED_OPERATOR, wireForNode, wireForOperator, wireOf } from "./dropping";
import { addNode, connect, disconnect, insertNode, rewire, select } from "./edits";
import { useFlowEdges } from "./flowEdges";
import { useFlowNodes } from "./flowNodes";
import { GroupFrame } from "./GroupFrame";
import { OperatorNode } from "./OperatorNode";
import { setOverlay, getOverlay, wireId } from "./overlay";
import { Minimap, MinimapButton } from "./Minimap";
import { centreAt, offerOperators, spotBeside } from "./panels";
import { QuickAdd } from "./QuickAdd";
import { SelectionBar } from "./SelectionBar";
import { documentOf, get, showRefusal, useStudio } from "./store";
import { FIT, LEAST } from "./fit";
import { distance, opening } from "./opening";
import { bringIntoView, onGrid, toCanvas, reveal, setFlow, setPointer } from "./view";
import { Wire as WireEdge } from "./Wire";

const NODE_TYPES = { operator: OperatorNode, frame: GroupFrame, comment: CommentNote };
const EDGE_TYPES = { default: WireEdge };
const DELETED_BY_COMMAND = null;

function useFocus() {
  const focus = useStudio((state) => state.focus);
  useEffect(() => {
    if (focus) bringIntoView(focus.node);
  }, [focus]);
}

function pointOf(event: MouseEvent | TouchEvent): { x: number; y: number } {
  const at = "changedTouches" in event ? event.changedTouches[0] : event;
  return { x: at?.clientX ?? 0, y: at?.clientY ?? 0 };
}

function isPane(target: EventTarget | null): boolean {
  return target instanceof Element && target.classList.contains("react-flow__pane");
}

/** Says why a port does not take the wire that was let go there. (One that it took is in the document by now.) */
function tellRefusal({ fromHandle, toHandle, isValid }: FinalConnectionState): void {
  if (isValid || !fromHandle || !toHandle || fromHandle.type === toHandle.type) return;
  const [from, to] = fromHandle.type === "source" ? [fromHandle, toHandle] : [toHandle, fromHandle];
  const refusal = refusesWire(
    documentOf(get()),
    { from: from.nodeId, to: to.nodeId, port: to.id ?? "" },
    get(),
  );
  if (refusal !== null) showRefusal(`Can't connect: ${refusal}`);
}

/** A wire that is dropped on the empty canvas asks for a node at its end. */
function endWire(event: MouseEvent | TouchEvent, state: FinalConnectionState): void {
  const { fromHandle, toNode } = state;
  setOverlay({ drawn: null });
  tellRefusal(state);
  const screen = pointOf(event);
  if (!fromHandle || toNode || !isPane(document.elementFromPoint(screen.x, screen.y))) return;
  const [x, y] = toCanvas(screen);
  if (fromHandle.type === "source")
    return offerOperators({ from: fromHandle.nodeId }, { at: onGrid([x, y - 48]), screen });
  offerOperators({ to: fromHandle.nodeId, port: fromHandle.id ?? "" }, { at: onGrid([x, y]), screen });
}

function startWire(
  _event: unknown,
  end: { nodeId: string | null; handleId: string | null; handleType: string | null },
) {
  if (end.nodeId !== null)
    setOverlay({ drawn: { from: end.nodeId, port: end.handleType === "target" ? end.handleId : null } });
}

function aim(wire: Wire | null): void {
  const id = wire && wireId(wire);
  if (getOverlay().aimed !== id) setOverlay({ aimed: id });
}

function useDropping(drop: (dragged: readonly Node[]) => void, release: () => void) {
  const over = (event: DragEvent) => {
    event.preventDefault();
    const { carried } = getOverlay();
    if (carried !== null) aim(wireForOperator({ x: event.clientX, y: event.clientY }, carried));
  };
  const dropOperator = (event: DragEvent) => {
    const name = event.dataTransfer.getData(DRAGGED_OPERATOR);
    if (name === "") return;
    event.preventDefault();
    const screen = { x: event.clientX, y: event.clientY };
    const [x, y] = toCanvas(screen);
    const wire = wireForOperator(screen, name);
    setOverlay({ carried: null, aimed: null });
    if (wire) addNode(name, onGrid(centreAt([x, y], name)), wire);
    else addNode(name, spotBeside([x - 24, y - 16], name));
  };
  const drag = (event: MouseEvent | TouchEvent, dragged: readonly Node[]) => {
    const [only] = dragged;
    if (only && dragged.length === 1) aim(wireForNode(pointOf(event), only.id));
  };
  const stop = (dragged: readonly Node[]) => {
    const [only] = dragged;
    const wire = getOverlay().aimed === null ? null : wireOf(getOverlay().aimed ?? "");
    setOverlay({ aimed: null });
    if (!wire || !only) return drop(dragged);
    release();
    insertNode(only.id, wire, [only.position.x, only.position.y]);
  };
  return { over, dropOperator, drag, stop };
}

/** What Tab leads to is selected, and seen. (The library's own keys are off: they would take the arrows from us.) */
function focused({ target }: FocusEvent): void {
  if (!target.matches(".react-flow__node:focus-visible, .react-flow__edge:focus-visible")) return;
  const id = target.getAttribute("data-id") ?? "";
  if (target.matches(".react-flow__edge")) {
    select([]);
    return setOverlay({ picked: [id] });
  }
  if (!get().selected.includes(id)) {
    select([id]);
    setOverlay({ picked: [] });
  }
  reveal(id);
}

/** A click on one of several that are selected selects it alone. */
function selectAlone({ ctrlKey, metaKey, shiftKey }: ReactMouseEvent, { id }: Node): void {
  if (!ctrlKey && !metaKey && !shiftKey) select([id]);
}

function doubleClick(event: ReactMouseEvent): void {
  if (!isPane(event.target)) return;
  const screen = { x: event.clientX, y: event.clientY };
  offerOperators(null, { at: toCanvas(screen), screen });
}

/** An end that is taken off its port and dropped on the empty canvas takes the wire away. */
function endReconnecting(
  event: MouseEvent | TouchEvent,
  edge: Edge,
  _handle: unknown,
  state: FinalConnectionState,
) {
  setOverlay({ drawn: null });
  const { x, y } = pointOf(event);
  if (!state.toNode && isPane(document.elementFromPoint(x, y))) disconnect([toWire(edge)]);
}

const WIRING: Partial<ReactFlowProps> = {
  isValidConnection: (link) => refusesWire(documentOf(get()), toWire(link as Edge), get()) === null,
  onConnectStart: startWire,
  onConnectEnd: endWire,
  onClickConnectStart: startWire,
  onClickConnectEnd: () => setOverlay({ drawn: null }),
  onConnect: (link) => connect(toWire(link)),
  onReconnect: (old, link) => rewire(toWire(old), toWire(link)),
  onReconnectEnd: endReconnecting,
  onEdgeDoubleClick: (event, edge) => {
    const screen = { x: event.clientX, y: event.clientY };
    offerOperators(toWire(edge), { at: toCanvas(screen), screen });
  },
};

const MENUS: Partial<ReactFlowProps> = {
  onNodeContextMenu: onNodeMenu,
  onSelectionContextMenu: (event, [first]) => first && onNodeMenu(event, first),
  onEdgeContextMenu: onWireMenu,
  onPaneContextMenu: onPaneMenu,
};

function Tools() {
  return (
    <Controls showInteractive={false} fitViewOptions={FIT}>
      <MinimapButton />
      <ControlButton
        title="Keyboard shortcuts (?)"
        aria-label="Keyboard shortcuts"
        onClick={() => setOverlay({ open: "keys" })}
      >
        <b aria-hidden="true">?</b>
      </ControlButton>
    </Controls>
  );
}

/** Where to look at first, once it is known how large the canvas is: null before. */
function useOpening(nodes: readonly Node[]) {
  const place = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState<Viewport | null>(null);
  // The first node of an empty plan stays where it is put.
  const [drawn] = useState(nodes);
  useLayoutEffect(() => {
    const size = place.current?.getBoundingClientRect();
    setSeen(drawn.length > 0 && size ? opening(drawn, size) : { x: 0, y: 0, zoom: 1 });
  }, [drawn]);
  return { place, seen };
}

/** Hints on the canvas keep their size however far away it is seen (nodes.css). */
function useZoomOf(place: RefObject<HTMLDivElement | null>): void {
  const store = useStoreApi();
  useEffect(() => {
    const tell = ({ transform: [, , zoom] }: { transform: [number, number, number] }) =>
      place.current?.style.setProperty("--zoom", String(zoom));
    tell(store.getState());
    return store.subscribe(tell);
  }, [store, place]);
}

export function Canvas() {
  const { nodes, onNodesChange, drop, release } = useFlowNodes();
  const { edges, onEdgesChange } = useFlowEdges();
  const { place, seen } = useOpening(nodes);
  const far = useStore(({ transform: [, , zoom] }) => distance(zoom));
  const flow = useReactFlow();
  const dark = useDark();
  const { over, dropOperator, drag, stop } = useDropping(drop, release);
  useFocus();
  useZoomOf(place);
  useEffect(() => {
    setFlow(flow);
    return () => setFlow(null);
  }, [flow]);
  return (
    <div
      className={`canvas ${far}`}
      data-testid="canvas"
      ref={place}
      onDrop={dropOperator}
      onDragOver={over}
      onDoubleClick={doubleClick}
      onFocus={focused}
      onPointerMove={(event) => setPointer({ x: event.clientX, y: event.clientY })}
      onPointerLeave={() => setPointer(null)}
    >
      {seen && (
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={NODE_TYPES}
          edgeTypes={EDGE_TYPES}
          colorMode={dark ? "dark" : "light"}
          defaultViewport={seen}
          minZoom={LEAST}
          onlyRenderVisibleElements
          elevateNodesOnSelect={false}
          zoomOnDoubleClick={false}
          onNodesChange={onNodesChange}
          onEdgesChange={onEdgesChange}
          onNodeClick={selectAlone}
          onNodeDrag={(event, _node, dragged) => drag(event, dragged)}
          onNodeDragStop={(_event, _node, dragged) => stop(dragged)}
          onSelectionDragStop={(_event, dragged) => drop(dragged)}
          {...WIRING}
          {...MENUS}
          deleteKeyCode={DELETED_BY_COMMAND}
          disableKeyboardA11y
        >
          <Background gap={16} />
          <Tools />
          <Minimap />
          <SelectionBar />
        </ReactFlow>
      )}
      <QuickAdd />
    </div>
  );
}
