using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.WebUtilities;
using Microsoft.Net.Http.Headers;
using Pipeline.Documents;
using Pipeline.Server.Errors;
using Pipeline.Server.Protocol;

namespace Pipeline.Server.Endpoints;

/// <summary>
/// The body of a session's save: JSON. With attachments it is a form: the first part is the JSON, and the others are
/// the contents.
/// </summary>
internal sealed class SessionBody : IAsyncDisposable
{
    private const int MaxContents = 10_000;
    private readonly List<StagedAttachment> _contents = [];

    private SessionBody(ReadOnlyMemory<byte> json) => Json = json;

    /// <summary>The commands.</summary>
    public ReadOnlyMemory<byte> Json { get; }

    /// <summary>The contents of attachments, in order.</summary>
    public IReadOnlyList<StagedAttachment> Contents => _contents;

    /// <summary>Reads the body; contents go to the database part by part.</summary>
    /// <exception cref="BadRequestException">The body is invalid or too large.</exception>
    public static async Task<SessionBody> ReadAsync(DatabaseRequest request)
    {
        if (
            !MediaTypeHeaderValue.TryParse(request.Context.Request.ContentType, out var type)
            || !type.MediaType.StartsWith("multipart/", StringComparison.OrdinalIgnoreCase)
        )
        {
            return new SessionBody(await request.ReadBodyAsync().ConfigureAwait(false));
        }

        if (HeaderUtilities.RemoveQuotes(type.Boundary) is not { Length: > 0 and <= 200 } boundary)
            throw new BadRequestException("the form has no boundary, or one of more than 200 characters");
        var most = request.Context.Features.Get<IHttpMaxRequestBodySizeFeature>()?.MaxRequestBodySize ?? long.MaxValue;
        request.LiftBodyLimit();
        try
        {
            return await ReadFormAsync(request, boundary.ToString(), most).ConfigureAwait(false);
        }
        catch
        {
            await RequestBody.SkipAsync(request.Context).ConfigureAwait(false);
            throw;
        }
    }

    private static async Task<SessionBody> ReadFormAsync(DatabaseRequest request, string boundary, long most)
    {
        var reader = new MultipartReader(boundary, request.Context.Request.Body) { BodyLengthLimit = null };
        var main =
            await reader.ReadNextSectionAsync(request.Aborted).ConfigureAwait(false)
            ?? throw new BadRequestException("the form has no part with the commands");
        var body = new SessionBody(await ReadMainAsync(main.Body, most, request.Aborted).ConfigureAwait(false));
        try
        {
            while (await reader.ReadNextSectionAsync(request.Aborted).ConfigureAwait(false) is { } section)
            {
                if (body._contents.Count == MaxContents)
                    throw new BadRequestException($"a batch may put {MaxContents} attachments");
                body._contents.Add(
                    await request.Database.Attachments.StageAsync(section.Body, request.Aborted).ConfigureAwait(false)
                );
            }
        }
        catch
        {
            await body.DisposeAsync().ConfigureAwait(false);
            throw;
        }
        return body;
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        foreach (var content in _contents)
            await content.DisposeAsync().ConfigureAwait(false);
    }

    private static async Task<ReadOnlyMemory<byte>> ReadMainAsync(Stream part, long most, CancellationToken ct)
    {
        using var json = new MemoryStream();
        var buffer = new byte[32 * 1024];
        for (int length; (length = await part.ReadAsync(buffer, ct).ConfigureAwait(false)) > 0; )
        {
            if (json.Length + length > most)
                throw new BadRequestException($"the commands have more than the {most} bytes allowed");
            await json.WriteAsync(buffer.AsMemory(0, length), ct).ConfigureAwait(false);
        }
        return json.GetBuffer().AsMemory(0, (int)json.Length);
    }
}
