/**
 * Loaded before a main and all that it imports (`node --import`), which takes a second or two. Until the main says by
 * onShutdown how it stops, it has promised nobody anything: a signal ends it at once, and that is no failure.
 */
for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(event, () => process.exit(0))
