using System.Text.Json;
using Pipeline.Documents;
using Pipeline.Json;
using Pipeline.Server.Errors;

namespace Pipeline.Server.Endpoints;

/// <summary>Reads the commands of a session's save.</summary>
internal static class BatchCommands
{
    private const int MaxCommands = 1_000_000;

    /// <summary>Reads the body of <c>bulk_docs</c>.</summary>
    /// <param name="body">The JSON.</param>
    /// <param name="contents">The attachment contents sent with it, in the order of the commands that put them.</param>
    /// <param name="separator">The separator between name and number in ids.</param>
    /// <exception cref="BadRequestException">The body is not a list of commands.</exception>
    /// <exception cref="UnsupportedException">A command's kind is not supported.</exception>
    public static SessionBatch Read(
        ReadOnlySpan<byte> body,
        IReadOnlyList<StagedAttachment> contents,
        char separator = '/'
    )
    {
        var batch = new SessionBatch();
        batch.Commands.IdSeparator = separator;
        var reader = new Utf8JsonReader(body);
        if (!reader.Read() || reader.TokenType != JsonTokenType.StartObject)
            throw new BadRequestException("the body must be an object with a list 'Commands'");
        List<Command>? commands = null;
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var isCommands = reader.ValueTextEquals("Commands"u8);
            var isMode = reader.ValueTextEquals("TransactionMode"u8);
            reader.Read();
            if (isMode)
            {
                batch.IsClusterWide =
                    reader.TokenType == JsonTokenType.String && reader.ValueTextEquals("ClusterWide"u8);
            }

            if (!isCommands)
            {
                reader.Skip();
                continue;
            }
            if (reader.TokenType != JsonTokenType.StartArray)
                throw new BadRequestException("'Commands' must be a list");
            if (commands is not null)
                throw new BadRequestException("the body has two lists 'Commands'");
            commands = [];
            while (reader.Read() && reader.TokenType != JsonTokenType.EndArray)
            {
                if (reader.TokenType != JsonTokenType.StartObject)
                {
                    throw new BadRequestException(
                        $"each of 'Commands' must be an object; command {commands.Count + 1} is {KindOf(reader.TokenType)}"
                    );
                }

                commands.Add(ReadCommand(ref reader));
                if (commands.Count > MaxCommands)
                    throw new BadRequestException($"a batch may have {MaxCommands} commands");
            }
        }
        if (commands is null)
            throw new BadRequestException("the body must be an object with a list 'Commands'");
        // Reads to the end, because anything after the object is an error.
        reader.Read();
        var used = 0;
        foreach (var command in commands)
            Add(batch, command, body, contents, ref used);
        if (used < contents.Count)
            throw new BadRequestException($"{contents.Count} attachments were sent, {used} are put");
        return batch;
    }

    private static string KindOf(JsonTokenType token) =>
        token switch
        {
            JsonTokenType.Null => "null",
            JsonTokenType.True or JsonTokenType.False => "a truth value",
            JsonTokenType.Number => "a number",
            JsonTokenType.String => "a text",
            _ => "a list",
        };

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
                "ForceRevisionCreationStrategy" => command with
                {
                    KeepsFormer = reader.TokenType == JsonTokenType.String && reader.ValueTextEquals("Before"u8),
                },
                "Index" when reader.TokenType == JsonTokenType.Number => command with { Index = reader.GetInt64() },
                "Document" or "Patch" => command with { From = (int)reader.TokenStartIndex },
                "PatchIfMissing" when reader.TokenType == JsonTokenType.StartObject => command with
                {
                    MissingFrom = (int)reader.TokenStartIndex,
                },
                "CreateIfMissing" when reader.TokenType == JsonTokenType.StartObject => command with
                {
                    CreateFrom = (int)reader.TokenStartIndex,
                },
                "Ids" when reader.TokenType == JsonTokenType.StartArray => command with
                {
                    IdsFrom = (int)reader.TokenStartIndex,
                },
                "ReturnDocument" => command with { ReturnsDocument = reader.TokenType == JsonTokenType.True },
                _ => command,
            };
            reader.Skip();
            var to = (int)reader.BytesConsumed;
            command = name switch
            {
                "Document" or "Patch" => command with { To = to },
                "PatchIfMissing" => command with { MissingTo = to },
                "CreateIfMissing" => command with { CreateTo = to },
                "Ids" => command with { IdsTo = to },
                _ => command,
            };
        }
        return command;
    }

    private static void Add(
        SessionBatch batch,
        in Command command,
        ReadOnlySpan<byte> body,
        IReadOnlyList<StagedAttachment> contents,
        ref int used
    )
    {
        if (command.Type == "BatchPATCH")
        {
            AddPatches(batch, command, body);
            return;
        }
        var id =
            command.Id
            ?? (
                command.Type is null or "PUT"
                    ? null
                    : throw new BadRequestException($"a {command.Type} of a batch has no 'Id'")
            );
        var version = command.ChangeVector ?? (batch.IsClusterWide ? command.OriginalChangeVector : null);
        var commands = batch.Commands;
        if (
            batch.IsClusterWide
            && command.Type is "CompareExchangePUT" or "CompareExchangeDELETE"
            && id!.StartsWith(SessionBatch.GuardPrefix, StringComparison.OrdinalIgnoreCase)
        )
        {
            throw new BadRequestException(
                $"You cannot manipulate the atomic guard '{id}' via the cluster-wide session."
            );
        }

        if (
            batch.IsClusterWide
            && command.Type == "CompareExchangePUT"
            && (id is [.., '|'] || id![^1] == commands.IdSeparator)
        )
        {
            throw new UnsupportedException(
                $"the key '{id}' (Document id {id} cannot end with '|' or '{commands.IdSeparator}' as part of cluster transaction)",
                "leave the last character out"
            );
        }

        _ = command.Type switch
        {
            "PUT" => commands.Put(
                id,
                DocumentDraft.Parse(body[command.From..command.To]),
                version,
                command.KeepsFormer
            ),
            "DELETE" => commands.Delete(id!, version),
            "AttachmentPUT" => commands.PutAttachment(
                id!,
                command.Demand(command.Name, "Name"),
                used < contents.Count
                    ? contents[used++]
                    : throw new BadRequestException($"the content of the attachment '{command.Name}' was not sent"),
                command.ContentType,
                command.ChangeVector
            ),
            "AttachmentDELETE" => commands.DeleteAttachment(
                id!,
                command.Demand(command.Name, "Name"),
                command.ChangeVector
            ),
            "AttachmentCOPY" or "AttachmentMOVE" => commands.CopyAttachment(
                id!,
                command.Demand(command.Name, "Name"),
                command.Demand(command.DestinationId, "DestinationId"),
                command.Demand(command.DestinationName, "DestinationName"),
                moves: command.Type == "AttachmentMOVE",
                replaces: false
            ),
            "ForceRevisionCreation" => commands.KeepRevision(id!),
            "CompareExchangePUT" => commands.CompareExchange(
                id!,
                BinaryJsonParser.Parse(body[command.From..command.To]),
                command.Index
            ),
            "CompareExchangeDELETE" => commands.CompareExchange(id!, null, command.Index),
            "PATCH" => commands.Patch(id!, ReadPatch(command, body, command.ReturnsDocument), command.ChangeVector),
            null => throw new BadRequestException($"the command for '{id}' has no 'Type'"),
            _ => throw new UnsupportedException(
                $"the batch command {command.Type}",
                "PUT, DELETE and those of attachments and compare-exchange values are"
            ),
        };
        batch.Requests.Add(
            new SessionBatch.Asked(
                command.Type!,
                id,
                command.Name,
                command.DestinationId,
                command.DestinationName,
                version
            )
            {
                ReturnsDocument = command.ReturnsDocument,
            }
        );
    }

    private static DocumentPatch ReadPatch(in Command command, ReadOnlySpan<byte> body, bool returnsDocument)
    {
        if (command.To == 0)
            throw new BadRequestException($"the {command.Type} of '{command.Id}' has no 'Patch'");
        return PatchBody.Read(BinaryJson.Parse(body[command.From..command.To]).Root) with
        {
            IfMissing =
                command.MissingTo > 0
                    ? PatchBody.Read(BinaryJson.Parse(body[command.MissingFrom..command.MissingTo]).Root)
                    : null,
            CreateIfMissing =
                command.CreateTo > 0
                    ? (ReadOnlyMemory<byte>?)body[command.CreateFrom..command.CreateTo].ToArray()
                    : null,
            ReturnsDocument = returnsDocument,
        };
    }

    /// <summary>Reads a patch of many documents by one script: one command per document, one combined answer.</summary>
    private static void AddPatches(SessionBatch batch, in Command command, ReadOnlySpan<byte> body)
    {
        if (command.IdsTo == 0)
            throw new BadRequestException("the BatchPATCH has no 'Ids'");
        var patch = ReadPatch(command, body, returnsDocument: false);
        using var ids = JsonDocument.Parse(body[command.IdsFrom..command.IdsTo].ToArray());
        foreach (var one in ids.RootElement.EnumerateArray())
        {
            var id =
                one.ValueKind == JsonValueKind.Object && one.TryGetProperty("Id", out var named)
                    ? named.GetString()
                    : null;
            if (id is null)
                throw new BadRequestException("each of the 'Ids' of a BatchPATCH is an object with an 'Id'");
            var version =
                one.TryGetProperty("ChangeVector", out var vector) && vector.ValueKind == JsonValueKind.String
                    ? vector.GetString()
                    : null;
            batch.Commands.Patch(id, patch, version);
            batch.Requests.Add(new SessionBatch.Asked(command.Type!, id, null, null, null, version));
        }
    }

    private readonly record struct Command(
        string? Type,
        string? Id,
        string? ChangeVector,
        string? OriginalChangeVector,
        string? Name,
        string? ContentType,
        string? DestinationId,
        string? DestinationName,
        long Index,
        int From,
        int To,
        bool KeepsFormer
    )
    {
        public int MissingFrom { get; init; }

        public int MissingTo { get; init; }

        public int CreateFrom { get; init; }

        public int CreateTo { get; init; }

        public int IdsFrom { get; init; }

        public int IdsTo { get; init; }

        public bool ReturnsDocument { get; init; }

        public string Demand(string? value, string name) =>
            value ?? throw new BadRequestException($"the {Type} command for '{Id}' has no '{name}'");
    }
}
