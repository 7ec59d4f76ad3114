import { createRoot } from "react-dom/client";
import { App } from "./App";
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./styles/colours.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/pages.css";

const root = document.getElementById("root");
if (root) createRoot(root).render(<App path={window.location.pathname} />);
