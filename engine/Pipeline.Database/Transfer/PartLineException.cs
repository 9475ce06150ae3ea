namespace Pipeline.Database.Transfer;

/// <summary>A line of an export that is no document cannot be taken over.</summary>
internal sealed class PartLineException(string message, Exception? inner = null) : Exception(message, inner);
