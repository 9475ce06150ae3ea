namespace AzureFunction;

/// <summary>What the handler needs of a storage account's blobs.</summary>
public interface IBlobs
{
    /// <summary>Makes a blob, and its container, where there is none of that name.</summary>
    /// <returns>False where there is one already, which stays as it is.</returns>
    Task<bool> TryCreateAsync(string container, string name, string content, CancellationToken cancellationToken);

    /// <summary>The text of the blob at an address of the account.</summary>
    Task<string> ReadAsync(Uri address, CancellationToken cancellationToken);
}
