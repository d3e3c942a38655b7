// Compiles what is tested as for a browser, so that effects run; there is no document.
export default {
  name: "browser-without-document",
  viteEnvironment: "client",
  setup: () => ({ teardown() {} }),
};
