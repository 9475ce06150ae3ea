namespace AzureFunction;

/// <summary>The blob operations that the handler needs.</summary>
public interface IBlobs
{
    /// <summary>Creates a blob, and its container if necessary, unless a blob of that name exists.</summary>
    /// <returns>False if the blob exists already; it stays unchanged.</returns>
    Task<bool> TryCreateAsync(string container, string name, string content, CancellationToken cancellationToken);

    /// <summary>The text of the blob at an address of the account.</summary>
    Task<string> ReadAsync(Uri address, CancellationToken cancellationToken);
}
