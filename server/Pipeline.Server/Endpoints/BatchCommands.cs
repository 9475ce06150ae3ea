using System.Text.Json;
using Pipeline.Database;
using Pipeline.Server.Protocol;

namespace Pipeline.Server.Endpoints;

/// <summary>Reads the commands of a batch.</summary>
internal static class BatchCommands
{
    private const int MostCommands = 1_000_000;

    /// <summary>Reads the body of <c>bulk_docs</c>.</summary>
    /// <exception cref="BadRequestException">It is none.</exception>
    /// <exception cref="UnsupportedException">It has a command of a kind that is not supported.</exception>
    public static DocumentBatch Read(ReadOnlySpan<byte> body)
    {
        var batch = new DocumentBatch();
        var reader = new Utf8JsonReader(body);
        if (!reader.Read() || reader.TokenType != JsonTokenType.StartObject)
            throw new BadRequestException("the body must be an object with a list 'Commands'");
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var isCommands = reader.ValueTextEquals("Commands"u8);
            var isMode = reader.ValueTextEquals("TransactionMode"u8);
            reader.Read();
            if (isMode && reader.TokenType == JsonTokenType.String && reader.ValueTextEquals("ClusterWide"u8))
                throw new UnsupportedException("a cluster-wide transaction", "there is one node, whose transactions are serialised already: save in the session's default mode");
            if (!isCommands)
            {
                reader.Skip();
                continue;
            }
            if (reader.TokenType != JsonTokenType.StartArray)
                throw new BadRequestException("'Commands' must be a list");
            while (reader.Read() && reader.TokenType == JsonTokenType.StartObject)
            {
                ReadCommand(ref reader, body, batch);
                if (batch.Count > MostCommands)
                    throw new BadRequestException($"a batch may have {MostCommands} commands");
            }
        }
        return batch;
    }

    private static void ReadCommand(ref Utf8JsonReader reader, ReadOnlySpan<byte> body, DocumentBatch batch)
    {
        string? id = null, changeVector = null, type = null;
        var document = ReadOnlySpan<byte>.Empty;
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var name = reader.GetString();
            reader.Read();
            switch (name)
            {
                case "Id":
                    id = reader.GetString();
                    break;
                case "ChangeVector":
                    changeVector = reader.GetString();
                    break;
                case "Type":
                    type = reader.GetString();
                    break;
                case "Document":
                    var from = (int)reader.TokenStartIndex;
                    reader.Skip();
                    document = body[from..(int)reader.BytesConsumed];
                    break;
                default:
                    reader.Skip();
                    break;
            }
        }
        _ = type switch
        {
            "PUT" => batch.Put(id, document, changeVector),
            "DELETE" => batch.Delete(id ?? throw new BadRequestException("a DELETE of a batch has no 'Id'"), changeVector),
            "PATCH" or "BatchPATCH" => throw new UnsupportedException("PATCH", "load the document, change it and save it; there is no script engine for JavaScript here"),
            null => throw new BadRequestException($"the command for '{id}' has no 'Type'"),
            _ => throw new UnsupportedException($"the batch command {type}", "PUT and DELETE are"),
        };
    }
}
