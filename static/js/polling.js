// A poll that was led elsewhere met the sign-in page: it must not end up inside the fragment.
document.addEventListener("htmx:before:response", (event) => {
  if (event.detail.ctx.response.raw.redirected) {
    event.preventDefault();
    location.reload();
  }
});
