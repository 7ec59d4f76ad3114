declare module "plotly.js-basic-dist-min" {
  const plotly: import("./lanes/plotly").Plotly;
  export default plotly;
}
