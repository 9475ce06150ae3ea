namespace Pipeline.Hosting;

/// <summary>
/// A run ended because the node must be filled from another one. Opening the worker again does it; <c>pipeline run</c>
/// does so by itself.
/// </summary>
/// <param name="node">The node's name.</param>
internal sealed class NodeRestartException(string node)
    : WorkerException(
        $"the node '{node}' must be filled from another node: start it again, which does so",
        ExitCodes.Failed
    );
