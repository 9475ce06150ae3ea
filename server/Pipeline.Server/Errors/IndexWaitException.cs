namespace Pipeline.Server.Errors;

/// <summary>A batch is stored, but an index that its client waits for did not include it in time.</summary>
internal sealed class IndexWaitException(string index, string time)
    : TimeoutException(
        $"The batch is stored, but the server could not verify that the index '{index}' shows it: {time} have passed."
    );
