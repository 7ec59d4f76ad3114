// The password in letters while the button is pressed in; without JavaScript there is no button.
const button = document.getElementById("show-password");
const password = document.getElementById("id_password");
button.hidden = false;
button.addEventListener("click", () => {
  const shown = password.type === "password";
  password.type = shown ? "text" : "password";
  button.setAttribute("aria-pressed", String(shown));
});
