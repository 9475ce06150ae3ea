namespace Pipeline.Client;

/// <summary>The base of the errors that a store reports.</summary>
public abstract class PipelineClientException : Exception
{
    private protected PipelineClientException(string message, Exception? inner = null)
        : base(message, inner) { }
}

/// <summary>
/// A document was changed since the session loaded it. Nothing of the save is stored; load the document again and
/// repeat the change.
/// </summary>
public sealed class ConcurrencyException(string message, string? documentId = null, Exception? inner = null)
    : PipelineClientException(message, inner)
{
    /// <summary>The document; <see langword="null"/> if the server did not name it.</summary>
    public string? DocumentId { get; } = documentId;
}

/// <summary>
/// The script of a patch has an error, fails, or reaches a limit. Nothing of its transaction is stored.
/// </summary>
public sealed class PatchException(string message, Exception? inner = null) : PipelineClientException(message, inner);

/// <summary>
/// An attachment cannot be stored: its document or its source is missing, its name is taken, or its content is too
/// large. Nothing of the save is stored.
/// </summary>
public sealed class AttachmentSaveException(string message, Exception? inner = null)
    : PipelineClientException(message, inner);

/// <summary>A bulk insert failed. Documents that it stored before stay stored.</summary>
public sealed class BulkInsertException(string message, Exception? inner = null)
    : PipelineClientException(message, inner);

/// <summary>The database refuses a query. The message names the place and suggests a fix.</summary>
public sealed class QueryException(string message, string query, Exception? inner = null)
    : PipelineClientException(message, inner)
{
    /// <summary>The sent query.</summary>
    public string Query { get; } = query;
}

/// <summary>The database refuses an index. The message names the place and suggests a fix.</summary>
public sealed class IndexException(string message, string index, Exception? inner = null)
    : PipelineClientException(message, inner)
{
    /// <summary>The index.</summary>
    public string Index { get; } = index;
}

/// <summary>An expression has no counterpart in the database's languages.</summary>
public sealed class UnsupportedExpressionException(string expression, string reason, string whole = "a query")
    : PipelineClientException($"'{expression}' cannot be part of {whole}: {reason}")
{
    /// <summary>The expression.</summary>
    public string Expression { get; } = expression;
}

/// <summary>A class has a member that documents cannot have.</summary>
public sealed class DocumentModelException(Type type, string message) : PipelineClientException(message)
{
    /// <summary>The class.</summary>
    public Type Type { get; } = type;
}

/// <summary>The server answered with an error, or not at all.</summary>
public sealed class ServerException(string message, int status, Exception? inner = null)
    : PipelineClientException(message, inner)
{
    /// <summary>The HTTP status; 0 if no answer came.</summary>
    public int Status { get; } = status;

    /// <summary>Whether the server has no such database.</summary>
    internal bool IsDatabaseMissing { get; init; }
}

/// <summary>The database refuses an append. Nothing of it is stored.</summary>
public sealed class EventAppendException(string message, string streamId, Exception? inner = null)
    : PipelineClientException(message, inner)
{
    /// <summary>The stream.</summary>
    public string StreamId { get; } = streamId;
}
