namespace Pipeline.Server.Errors;

/// <summary>A cluster-wide session saved data that others had changed in the meantime; nothing was done.</summary>
internal sealed class ClusterTransactionException(string message, Exception? cause = null)
    : Exception($"The cluster-wide transaction was not done: {message}", cause);
