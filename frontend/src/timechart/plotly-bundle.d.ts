declare module "plotly.js-basic-dist-min" {
  const plotly: import("./plotly").Plotly;
  export default plotly;
}
