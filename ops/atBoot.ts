/**
 * Loaded with `node --import` before a main and its imports, which take a second or two to load. Until the main calls
 * onShutdown it has promised nobody anything, so a signal ends it at once, with exit code 0.
 */
for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(event, () => process.exit(0))
