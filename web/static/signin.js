"use strict";
// The sign-in page: sends the token, or redirects to the provider and handles its answer. Each
// request carries a proof of the key that the session is bound to.
(() => {
  const { base, context, to, mode, stage } = document.currentScript.dataset;
  const session = watchglassSession(base, context), form = document.querySelector("form"), wrong = document.querySelector("#wrong");
  const ask = mode === "oidc" ? () => session.begin(to) : () => session.enter(form.elements.token.value, to);

  // attempt runs one action at a time and shows why it failed.
  const attempt = async (f) => {
    const button = form?.querySelector("button");
    if (button) button.disabled = true;
    wrong.hidden = true;
    try { return await f(); } catch (e) {
      wrong.textContent = e.message;
      wrong.hidden = false;
      if (button) button.disabled = false;
      if (form?.elements.token) form.elements.token.select();
      else button?.focus();
    }
  };
  form?.addEventListener("submit", (e) => { e.preventDefault(); attempt(ask); });
  if (stage === "back") attempt(() => session.back(location.search));
  else if (mode === "oidc" && !stage) attempt(ask);
})();
