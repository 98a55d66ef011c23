// The numbers of a page are computed by a worker. When it is done, the state that is asked for says so, and the page
// is loaded anew: figures and tables are not swapped under somebody who reads them until then.
document.addEventListener("htmx:after:swap", () => {
  const state = document.getElementById("report-state");
  if (state && !state.hasAttribute("hx-get")) location.reload();
});
