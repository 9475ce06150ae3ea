using System.Text.Json;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Json;
using Pipeline.Server.Errors;

namespace Pipeline.Server.Endpoints;

/// <summary>
/// The changes that a session saves: the batch, and the client's request for each command, since the answer repeats
/// parts of it.
/// </summary>
internal sealed class SessionBatch
{
    /// <summary>The prefix of the keys of guards.</summary>
    public const string GuardPrefix = "rvn-atomic/";

    /// <summary>The commands to execute.</summary>
    public DocumentBatch Commands { get; } = new();

    /// <summary>The clients' requests, one per command.</summary>
    public List<Asked> Requests { get; } = [];

    /// <summary>Whether the session is cluster-wide.</summary>
    public bool IsClusterWide { get; set; }

    /// <summary>
    /// Executes all commands or none. A cluster-wide batch also leaves a guard for each document, so that a session
    /// cannot create a document that another one created in the meantime.
    /// </summary>
    public async Task<IReadOnlyList<CommandResult>> ExecuteAsync(
        DocumentDatabase database,
        bool guards,
        CancellationToken ct
    )
    {
        if (!IsClusterWide)
            return await database.ExecuteAsync(Commands, ct).ConfigureAwait(false);
        try
        {
            return await database
                .WriteAsync(transaction => guards ? ExecuteGuarded(transaction) : Commands.Execute(transaction), ct)
                .ConfigureAwait(false);
        }
        catch (Exception e) when (e is ConcurrencyException or CompareExchangeException)
        {
            throw new ClusterTransactionException(e.Message, e);
        }
    }

    private IReadOnlyList<CommandResult> ExecuteGuarded(DocumentTransaction transaction)
    {
        foreach (var asked in Requests)
        {
            if (
                asked is { Type: "PUT", Id: { Length: > 0 } id, Version: null or "" }
                && id[^1] != '|'
                && id[^1] != Commands.IdSeparator
                && transaction.GetCompareExchange(GuardPrefix + id) is { } guard
            )
            {
                throw new ClusterTransactionException(
                    $"the document '{id}' was created by another session (guard '{guard.Key}', index {guard.Index}); load it in this session before you store it"
                );
            }
        }
        var results = Commands.Execute(transaction);
        for (var i = 0; i < results.Count; i++)
        {
            var key = GuardPrefix + results[i].Id;
            var index = transaction.GetCompareExchange(key)?.Index ?? 0;
            if (Requests[i].Type == "PUT")
                transaction.PutCompareExchange(key, Guard(results[i].Id), index);
            else if (Requests[i].Type == "DELETE")
                transaction.DeleteCompareExchange(key, index);
        }
        return results;
    }

    /// <summary>Creates a guard, which names its document.</summary>
    private static BinaryJson Guard(string id) =>
        BinaryJsonParser.Parse(JsonSerializer.SerializeToUtf8Bytes(new { Object = new { Id = id } }));

    /// <summary>A command as the client sent it.</summary>
    /// <param name="Type">The kind, by the client's name.</param>
    /// <param name="Id">The document; null to create one.</param>
    /// <param name="Name">The attachment.</param>
    /// <param name="ToId">The target document of an attachment.</param>
    /// <param name="ToName">The attachment's new name.</param>
    /// <param name="Version">The version that the session loaded.</param>
    internal sealed record Asked(string Type, string? Id, string? Name, string? ToId, string? ToName, string? Version)
    {
        /// <summary>Whether the answer to a patch contains the document.</summary>
        public bool ReturnsDocument { get; init; }
    }
}
