using System.Net;

namespace Pipeline.Client.Transport;

/// <summary>A stream as a part of a request, which does not dispose of it.</summary>
internal sealed class BorrowedContent(Stream content) : HttpContent
{
    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
        content.CopyToAsync(stream);

    protected override Task SerializeToStreamAsync(
        Stream stream,
        TransportContext? context,
        CancellationToken cancellationToken
    ) => content.CopyToAsync(stream, cancellationToken);

    protected override bool TryComputeLength(out long length)
    {
        length = 0;
        return false;
    }
}
