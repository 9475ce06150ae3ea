using System.Text.Json;
using Pipeline.Database;
using Pipeline.Database.Json;
using Pipeline.Server.Protocol;

namespace Pipeline.Server.Endpoints;

/// <summary>What a session saves: the batch, and for each of its commands what the client asked, since the answer repeats some of it.</summary>
internal sealed class SessionBatch
{
    /// <summary>What the keys of guards begin with.</summary>
    public const string GuardPrefix = "rvn-atomic/";

    /// <summary>What is done.</summary>
    public DocumentBatch Commands { get; } = new();

    /// <summary>What was asked, command by command.</summary>
    public List<Asked> Requests { get; } = [];

    /// <summary>Whether the session is cluster-wide.</summary>
    public bool IsClusterWide { get; set; }

    /// <summary>Does it, all or nothing. A cluster-wide one also leaves a guard for each document, so that nobody makes a document anew that another made meanwhile.</summary>
    public async Task<IReadOnlyList<CommandResult>> ExecuteAsync(DocumentDatabase database, bool guards, CancellationToken ct)
    {
        if (!IsClusterWide)
            return await database.ExecuteAsync(Commands, ct).ConfigureAwait(false);
        try
        {
            return await database.WriteAsync(transaction => guards ? ExecuteGuarded(transaction) : Commands.Execute(transaction), ct).ConfigureAwait(false);
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
            if (asked is { Type: "PUT", Id: { Length: > 0 } id, Version: null or "" } && id[^1] != '|' && id[^1] != Commands.IdSeparator && transaction.GetCompareExchange(GuardPrefix + id) is { } guard)
                throw new ClusterTransactionException($"the document '{id}' was made by another session, with guard '{guard.Key}' of index {guard.Index}: load it in this session before it is stored");
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

    /// <summary>A guard names its document.</summary>
    private static BinaryJson Guard(string id) => BinaryJsonParser.Parse(JsonSerializer.SerializeToUtf8Bytes(new { Object = new { Id = id } }));

    /// <summary>A command as the client gave it.</summary>
    /// <param name="Type">The kind, in the client's words.</param>
    /// <param name="Id">The document; null where one is to be made.</param>
    /// <param name="Name">The attachment.</param>
    /// <param name="ToId">Where an attachment goes to.</param>
    /// <param name="ToName">Under which name.</param>
    /// <param name="Version">The version that the session has loaded.</param>
    internal sealed record Asked(string Type, string? Id, string? Name, string? ToId, string? ToName, string? Version)
    {
        /// <summary>Whether a patch is answered with the document.</summary>
        public bool ReturnsDocument { get; init; }
    }
}
