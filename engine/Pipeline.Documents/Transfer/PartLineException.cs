namespace Pipeline.Documents.Transfer;

/// <summary>A line of an export other than a document cannot be imported.</summary>
internal sealed class PartLineException(string message, Exception? inner = null) : Exception(message, inner);
