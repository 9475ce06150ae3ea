using System.Buffers;
using System.Globalization;
using System.IO.Pipelines;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;
using Pipeline.Database;
using Pipeline.Server.Protocol;
using Pipeline.Server.Security;

namespace Pipeline.Server.Endpoints;

/// <summary><c>bulk_insert</c>: documents without end, stored as they come.</summary>
internal static class BulkInsertEndpoint
{
    /// <summary>Adds it.</summary>
    public static void Add(DatabaseRoutes routes, long maxCommandBytes) =>
        routes.Add("POST", "/bulk_insert", DatabaseAccess.ReadWrite, request => PostAsync(request, maxCommandBytes), isLong: true);

    private static async Task PostAsync(DatabaseRequest request, long maxCommandBytes)
    {
        // A client may think between two documents as long as it likes.
        if (request.Context.Features.Get<IHttpMinRequestBodyDataRateFeature>() is { } rate)
            rate.MinDataRate = null;
        if (request.Context.Features.Get<Microsoft.AspNetCore.Http.Features.IHttpMaxRequestBodySizeFeature>() is { IsReadOnly: false } limit)
            limit.MaxRequestBodySize = null;
        var id = request.Number("id", 0);
        await request.Served.Operations.RunAsync(id == 0 ? request.Served.Operations.NextId() : id, async (operation, stop) =>
        {
            using var both = CancellationTokenSource.CreateLinkedTokenSource(stop, request.Aborted);
            var insert = request.Database.BeginBulkInsert();
            await using var ends = insert.ConfigureAwait(false);
            var stored = 0L;
            await foreach (var command in ReadAsync(request.Context.Request.BodyReader, maxCommandBytes, both.Token).ConfigureAwait(false))
            {
                await insert.StoreAsync(command.Id, command.Document, both.Token).ConfigureAwait(false);
                operation.Progress = (++stored, stored);
            }
            await insert.CompleteAsync(both.Token).ConfigureAwait(false);
        }).ConfigureAwait(false);
        await request.AnswerAsync(StatusCodes.Status200OK).ConfigureAwait(false);
    }

    private readonly record struct Put(string? Id, ReadOnlyMemory<byte> Document);

    /// <summary>The commands of a body that is a list of them, each as soon as it is there whole.</summary>
    private static async IAsyncEnumerable<Put> ReadAsync(PipeReader body, long maxCommandBytes, [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken ct)
    {
        var begun = false;
        List<Put> puts = [];
        var tried = 0L;
        while (true)
        {
            var read = await body.ReadAsync(ct).ConfigureAwait(false);
            var rest = read.Buffer;
            puts.Clear();
            // A large command is looked at when much more of it has come, not with each part.
            if (rest.Length < tried + (tried / 2) && !read.IsCompleted && rest.Length <= maxCommandBytes)
            {
                body.AdvanceTo(rest.Start, rest.End);
                continue;
            }
            while (TryRead(ref rest, ref begun, read.IsCompleted, out var put, out var ended))
            {
                if (ended)
                {
                    body.AdvanceTo(read.Buffer.End);
                    foreach (var last in puts)
                        yield return last;
                    yield break;
                }
                if (put is { } one)
                    puts.Add(one);
            }
            if (read.IsCompleted)
                throw new BadRequestException("the body ends before its list does");
            if (rest.Length > maxCommandBytes)
                throw new BadRequestException(string.Create(CultureInfo.InvariantCulture, $"a command has more than {maxCommandBytes} bytes"));
            tried = rest.Length;
            body.AdvanceTo(rest.Start, read.Buffer.End);
            foreach (var one in puts)
                yield return one;
        }
    }

    /// <summary>Reads the next command; false where it is not there whole.</summary>
    private static bool TryRead(ref ReadOnlySequence<byte> rest, ref bool begun, bool isLast, out Put? put, out bool ended)
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
        if (!TryReadCommand(rest, ref reader, isLast, out put))
            return false;
        rest = rest.Slice(reader.BytesConsumed);
        return true;
    }

    private static bool TryReadCommand(ReadOnlySequence<byte> text, ref Utf8JsonReader reader, bool isLast, out Put? put)
    {
        put = null;
        string? id = null, type = null;
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
            "PUT" when !document.IsEmpty => new Put(id, document.ToArray()),
            "PUT" => throw new BadRequestException($"the PUT of '{id}' has no 'Document'"),
            "HeartBeat" => null,
            _ => throw new UnsupportedException($"the bulk insert command {type}", "PUT is"),
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
