namespace Pipeline.Server.Protocol;

/// <summary>A cluster-wide session saved what others had changed meanwhile; nothing was done.</summary>
internal sealed class ClusterTransactionException(string message, Exception? cause = null) : Exception($"The cluster-wide transaction was not done: {message}", cause);
