using System.Text.Json;
using Pipeline.Database;
using Pipeline.Database.Json;
using Pipeline.Server.Protocol;

namespace Pipeline.Server.Endpoints;

/// <summary>Reads the commands of a session's save.</summary>
internal static class BatchCommands
{
    private const int MostCommands = 1_000_000;

    /// <summary>Reads the body of <c>bulk_docs</c>.</summary>
    /// <param name="body">The JSON.</param>
    /// <param name="contents">The contents that were sent beside it, in the order of the commands that put them.</param>
    /// <exception cref="BadRequestException">It is none.</exception>
    /// <exception cref="UnsupportedException">It has a command of a kind that is not supported.</exception>
    public static SessionBatch Read(ReadOnlySpan<byte> body, IReadOnlyList<StagedAttachment> contents)
    {
        var batch = new SessionBatch();
        var reader = new Utf8JsonReader(body);
        if (!reader.Read() || reader.TokenType != JsonTokenType.StartObject)
            throw new BadRequestException("the body must be an object with a list 'Commands'");
        var commands = new List<Command>();
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var isCommands = reader.ValueTextEquals("Commands"u8);
            var isMode = reader.ValueTextEquals("TransactionMode"u8);
            reader.Read();
            if (isMode)
                batch.IsClusterWide = reader.TokenType == JsonTokenType.String && reader.ValueTextEquals("ClusterWide"u8);
            if (!isCommands)
            {
                reader.Skip();
                continue;
            }
            if (reader.TokenType != JsonTokenType.StartArray)
                throw new BadRequestException("'Commands' must be a list");
            while (reader.Read() && reader.TokenType == JsonTokenType.StartObject)
            {
                commands.Add(ReadCommand(ref reader));
                if (commands.Count > MostCommands)
                    throw new BadRequestException($"a batch may have {MostCommands} commands");
            }
        }
        var used = 0;
        foreach (var command in commands)
            Add(batch, command, body, contents, ref used);
        if (used < contents.Count)
            throw new BadRequestException($"{contents.Count} attachments were sent, {used} are put");
        return batch;
    }

    private static Command ReadCommand(ref Utf8JsonReader reader)
    {
        var command = new Command();
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var name = reader.GetString();
            reader.Read();
            command = name switch
            {
                "Id" => command with { Id = reader.GetString() },
                "ChangeVector" => command with { ChangeVector = reader.GetString() },
                "OriginalChangeVector" => command with { OriginalChangeVector = reader.GetString() },
                "Type" => command with { Type = reader.GetString() },
                "Name" => command with { Name = reader.GetString() },
                "ContentType" => command with { ContentType = reader.GetString() },
                "DestinationId" => command with { DestinationId = reader.GetString() },
                "DestinationName" => command with { DestinationName = reader.GetString() },
                "ForceRevisionCreationStrategy" => command with { KeepsFormer = reader.TokenType == JsonTokenType.String && reader.ValueTextEquals("Before"u8) },
                "Index" when reader.TokenType == JsonTokenType.Number => command with { Index = reader.GetInt64() },
                "Document" => command with { From = (int)reader.TokenStartIndex },
                _ => command,
            };
            reader.Skip();
            if (name == "Document")
                command = command with { To = (int)reader.BytesConsumed };
        }
        return command;
    }

    private static void Add(SessionBatch batch, in Command command, ReadOnlySpan<byte> body, IReadOnlyList<StagedAttachment> contents, ref int used)
    {
        var id = command.Id ?? (command.Type is null or "PUT" ? null : throw new BadRequestException($"a {command.Type} of a batch has no 'Id'"));
        var version = command.ChangeVector ?? (batch.IsClusterWide ? command.OriginalChangeVector : null);
        var commands = batch.Commands;
        if (batch.IsClusterWide && command.Type is "CompareExchangePUT" or "CompareExchangeDELETE" && id!.StartsWith(SessionBatch.GuardPrefix, StringComparison.OrdinalIgnoreCase))
            throw new BadRequestException($"You cannot manipulate the atomic guard '{id}' via the cluster-wide session.");
        _ = command.Type switch
        {
            "PUT" => commands.Put(id, DocumentDraft.Parse(body[command.From..command.To]), version, command.KeepsFormer),
            "DELETE" => commands.Delete(id!, version),
            "AttachmentPUT" => commands.PutAttachment(
                id!, command.Demand(command.Name, "Name"), used < contents.Count ? contents[used++] : throw new BadRequestException($"the content of the attachment '{command.Name}' was not sent"),
                command.ContentType, command.ChangeVector),
            "AttachmentDELETE" => commands.DeleteAttachment(id!, command.Demand(command.Name, "Name"), command.ChangeVector),
            "AttachmentCOPY" or "AttachmentMOVE" => commands.CopyAttachment(
                id!, command.Demand(command.Name, "Name"), command.Demand(command.DestinationId, "DestinationId"), command.Demand(command.DestinationName, "DestinationName"),
                moves: command.Type == "AttachmentMOVE", replaces: false),
            "ForceRevisionCreation" => commands.KeepRevision(id!),
            "CompareExchangePUT" => commands.CompareExchange(id!, BinaryJsonParser.Parse(body[command.From..command.To]), command.Index),
            "CompareExchangeDELETE" => commands.CompareExchange(id!, null, command.Index),
            "PATCH" or "BatchPATCH" => throw new UnsupportedException("PATCH", "load the document, change it and save it; there is no script engine for JavaScript here"),
            null => throw new BadRequestException($"the command for '{id}' has no 'Type'"),
            _ => throw new UnsupportedException($"the batch command {command.Type}", "PUT, DELETE and those of attachments and compare-exchange values are"),
        };
        batch.Requests.Add(new SessionBatch.Asked(command.Type!, id, command.Name, command.DestinationId, command.DestinationName, version));
    }

    private readonly record struct Command(
        string? Type, string? Id, string? ChangeVector, string? OriginalChangeVector, string? Name, string? ContentType, string? DestinationId, string? DestinationName, long Index, int From, int To,
        bool KeepsFormer)
    {
        public string Demand(string? value, string name) => value ?? throw new BadRequestException($"the {Type} of '{Id}' has no '{name}'");
    }
}
