using System.Buffers;
using System.Globalization;
using System.IO.Pipelines;
using System.Text.Json;
using Pipeline.Server.Errors;

namespace Pipeline.Server.Endpoints;

/// <summary>
/// Reads the body of a bulk insert: a list of commands, with the bytes of attachments between them. Returns each
/// command once it is complete.
/// </summary>
internal static class BulkInsertReader
{
    /// <summary>A document to store, or an attachment to put.</summary>
    public readonly record struct Command(string? Id, ReadOnlyMemory<byte> Document, Attached? Attachment);

    /// <summary>An attachment whose content follows its command; read it before requesting the next command.</summary>
    public sealed record Attached(string Name, string? ContentType, Stream Content);

    /// <summary>Reads the commands of a body and returns each one once it is complete.</summary>
    public static async IAsyncEnumerable<Command> ReadAsync(
        PipeReader body,
        long maxCommandBytes,
        [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken ct
    )
    {
        var begun = false;
        List<Command> puts = [];
        var tried = 0L;
        while (true)
        {
            var read = await body.ReadAsync(ct).ConfigureAwait(false);
            var rest = read.Buffer;
            puts.Clear();
            // A large command is parsed again only after much more of it has arrived, not with each part.
            if (rest.Length < tried + (tried / 2) && !read.IsCompleted && rest.Length <= maxCommandBytes)
            {
                body.AdvanceTo(rest.Start, rest.End);
                continue;
            }
            BulkInsertContent? content = null;
            while (content is null && TryRead(ref rest, ref begun, read.IsCompleted, body, out var put, out var ended))
            {
                if (ended)
                {
                    body.AdvanceTo(read.Buffer.End);
                    foreach (var last in puts)
                        yield return last;
                    yield break;
                }
                if (put is not { } one)
                    continue;
                puts.Add(one);
                content = one.Attachment?.Content as BulkInsertContent;
            }
            if (content is not null)
            {
                tried = 0;
                body.AdvanceTo(rest.Start);
                foreach (var one in puts)
                    yield return one;
                if (content.Left > 0)
                    throw new InvalidOperationException("the content of an attachment was not read");
                continue;
            }
            if (read.IsCompleted)
                throw new BadRequestException("the body ends before its list does");
            if (rest.Length > maxCommandBytes)
            {
                throw new BadRequestException(
                    string.Create(CultureInfo.InvariantCulture, $"a command has more than {maxCommandBytes} bytes")
                );
            }

            tried = rest.Length;
            body.AdvanceTo(rest.Start, read.Buffer.End);
            foreach (var one in puts)
                yield return one;
        }
    }

    /// <summary>Reads the next command; false if it is incomplete.</summary>
    private static bool TryRead(
        ref ReadOnlySequence<byte> rest,
        ref bool begun,
        bool isLast,
        PipeReader body,
        out Command? put,
        out bool ended
    )
    {
        (put, ended) = (null, false);
        SkipBetween(ref rest);
        if (rest.IsEmpty)
            return false;
        var first = rest.FirstSpan[0];
        if (!begun)
        {
            if (first != '[')
                throw new BadRequestException("the body must be a list of commands");
            begun = true;
            rest = rest.Slice(1);
            return true;
        }
        if (first == ']')
        {
            ended = true;
            return true;
        }
        var reader = new Utf8JsonReader(rest, isLast, default);
        if (!reader.Read())
            return false;
        if (reader.TokenType != JsonTokenType.StartObject)
            throw new BadRequestException("a command of a bulk insert must be an object");
        if (!TryReadCommand(rest, ref reader, isLast, body, out put))
            return false;
        rest = rest.Slice(reader.BytesConsumed);
        return true;
    }

    private static bool TryReadCommand(
        ReadOnlySequence<byte> text,
        ref Utf8JsonReader reader,
        bool isLast,
        PipeReader body,
        out Command? put
    )
    {
        put = null;
        string? id = null,
            type = null,
            attachment = null,
            contentType = null;
        long? length = null;
        var document = ReadOnlySequence<byte>.Empty;
        while (true)
        {
            if (!reader.Read())
                return false;
            if (reader.TokenType == JsonTokenType.EndObject)
                break;
            var name = reader.GetString();
            if (!reader.Read())
                return false;
            if (name == "Id")
            {
                id = reader.GetString();
            }
            else if (name == "Type")
            {
                type = reader.GetString();
            }
            else if (name == "Name")
            {
                attachment = reader.GetString();
            }
            else if (name == "ContentType")
            {
                contentType = reader.GetString();
            }
            else if (name == "ContentLength")
            {
                length =
                    reader.TryGetInt64(out var given) && given >= 0
                        ? given
                        : throw new BadRequestException("'ContentLength' is a whole number from 0 on");
            }
            else
            {
                var from = reader.TokenStartIndex;
                if (!TrySkip(ref reader, isLast))
                    return false;
                if (name == "Document")
                    document = text.Slice(from, reader.BytesConsumed - from);
            }
        }
        put = type switch
        {
            "PUT" when !document.IsEmpty => new Command(id, document.ToArray(), null),
            "PUT" => throw new BadRequestException($"the PUT of '{id}' has no 'Document'"),
            "AttachmentPUT" when id is not null && attachment is not null && length is { } bytes => new Command(
                id,
                default,
                new Attached(attachment, contentType, new BulkInsertContent(body, bytes))
            ),
            "AttachmentPUT" => throw new BadRequestException(
                $"the AttachmentPUT of '{id}' needs 'Id', 'Name' and 'ContentLength'"
            ),
            "HeartBeat" => null,
            _ => throw new UnsupportedException($"the bulk insert command {type}", "PUT and AttachmentPUT are"),
        };
        return true;
    }

    private static bool TrySkip(ref Utf8JsonReader reader, bool isLast)
    {
        if (!isLast)
            return reader.TrySkip();
        reader.Skip();
        return true;
    }

    private static void SkipBetween(ref ReadOnlySequence<byte> rest)
    {
        while (!rest.IsEmpty)
        {
            var span = rest.FirstSpan;
            var at = span.IndexOfAnyExcept(" \t\r\n,"u8);
            if (at >= 0)
            {
                rest = rest.Slice(at);
                return;
            }
            rest = rest.Slice(span.Length);
        }
    }
}
