using System.Net;

namespace Pipeline.Client.Transport;

internal sealed partial class HttpTransport
{
    private const int MaxEvents = 1_024;
    private const int MaxEventBytes = 4 << 20;
    private const int WaitMilliseconds = 15_000;

    public async Task<long> AppendEventsAsync(EventAppend append, CancellationToken cancellationToken)
    {
        if (append.Events.Count == 0)
            return await LastOfExpectedAsync(append, cancellationToken).ConfigureAwait(false);
        // The server refuses a number that the stream already has, so numbers detect a longer stream. They do not detect
        // a shorter one. A stream never gets shorter, so a check before the append finds that.
        if (append.ExpectedNumber > 0)
            await LastOfExpectedAsync(append, cancellationToken).ConfigureAwait(false);
        var frame = new EventFrame();
        frame.Int(1);
        frame.Text(append.StreamId);
        frame.Text(append.Collection ?? "");
        frame.Int(append.Events.Count);
        for (var i = 0; i < append.Events.Count; i++)
        {
            frame.Long(append.ExpectedNumber is { } expected ? expected + 1 + i : 0);
            frame.Int(0);
            frame.Text(append.Events[i].Name);
            frame.Text("");
            frame.Texts(append.Tags);
            frame.Bytes(append.Events[i].Payload.Span);
        }

        var answer = await SendEventsAsync("append", frame, cancellationToken).ConfigureAwait(false);
        answer.Int();
        var status = answer.Int();
        var (last, _, message) = (answer.Long(), answer.Long(), answer.Text());
        return status switch
        {
            EventFrame.Done => last,
            EventFrame.Conflict => throw new ConcurrencyException(message),
            EventFrame.Invalid or EventFrame.KeyDestroyed => throw new EventAppendException(message, append.StreamId),
            _ => throw new ServerException(message, (int)HttpStatusCode.InternalServerError),
        };
    }

    public async Task<long> LastEventNumberAsync(string streamId, CancellationToken cancellationToken)
    {
        var frame = new EventFrame();
        frame.Text(streamId);
        var answer = await SendEventsAsync("highest", frame, cancellationToken).ConfigureAwait(false);
        return answer.Long();
    }

    public async Task<EventRows> ReadStreamAsync(string streamId, long from, CancellationToken cancellationToken)
    {
        var frame = new EventFrame();
        frame.Text(streamId);
        frame.Long(from);
        frame.Long(long.MaxValue);
        frame.Int(MaxEvents);
        frame.Int(MaxEventBytes);
        var answer = await SendEventsAsync("stream", frame, cancellationToken).ConfigureAwait(false);
        return answer.Rows();
    }

    public async Task<EventRows> ReadEventsAsync(long after, CancellationToken cancellationToken)
    {
        var frame = new EventFrame();
        frame.Long(after);
        // No filter: of tags, and of times.
        frame.Texts(null);
        frame.Texts(null);
        frame.Long(-1);
        frame.Long(-1);
        frame.Int(MaxEvents);
        frame.Int(MaxEventBytes);
        var answer = await SendEventsAsync("read", frame, cancellationToken).ConfigureAwait(false);
        return answer.Rows();
    }

    public async Task WaitForChangeAsync(long after, CancellationToken cancellationToken)
    {
        long last;
        do
        {
            var frame = new EventFrame();
            frame.Long(after);
            frame.Int(WaitMilliseconds);
            var answer = await SendEventsAsync("wait", frame, cancellationToken).ConfigureAwait(false);
            last = answer.Long();
        } while (last <= after);
    }

    /// <summary>The stream's last number, which must be the expected one.</summary>
    private async Task<long> LastOfExpectedAsync(EventAppend append, CancellationToken cancellationToken)
    {
        var last = await LastEventNumberAsync(append.StreamId, cancellationToken).ConfigureAwait(false);
        return append.ExpectedNumber is { } expected && expected != last
            ? throw new ConcurrencyException(
                $"The stream '{append.StreamId}' has events up to number {last}, and {expected} was expected. Read the stream again, and repeat the change."
            )
            : last;
    }

    private async Task<EventFrameAnswer> SendEventsAsync(
        string path,
        EventFrame frame,
        CancellationToken cancellationToken
    )
    {
        var answer = await SendAsync(
                HttpMethod.Post,
                "/events/" + path,
                frame.Written,
                null,
                isFound: true,
                cancellationToken
            )
            .ConfigureAwait(false);
        return new EventFrameAnswer(answer);
    }
}
