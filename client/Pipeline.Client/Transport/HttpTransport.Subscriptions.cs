namespace Pipeline.Client.Transport;

/// <content>Subscriptions.</content>
internal sealed partial class HttpTransport
{
    /// <summary>Cancelled when the store is disposed.</summary>
    public CancellationToken Closed => _closed.Token;

    public async Task DefineSubscriptionAsync(
        SubscriptionTerms definition,
        bool isNew,
        CancellationToken cancellationToken
    ) =>
        await NamingAsync(
                definition.Name,
                () =>
                    SendAsync(
                        HttpMethod.Put,
                        $"/subscriptions/definition?isNew={(isNew ? "true" : "false")}",
                        Body(json => SubscriptionMessages.Write(json, definition)),
                        null,
                        isFound: true,
                        cancellationToken
                    )
            )
            .ConfigureAwait(false);

    public async Task DeleteSubscriptionAsync(string name, CancellationToken cancellationToken) =>
        await NamingAsync(
                name,
                () =>
                    SendAsync(
                        HttpMethod.Delete,
                        "/subscriptions?taskName=" + Uri.EscapeDataString(name),
                        null,
                        null,
                        isFound: true,
                        cancellationToken
                    )
            )
            .ConfigureAwait(false);

    public async Task SetPausedAsync(string name, bool isPaused, CancellationToken cancellationToken) =>
        await NamingAsync(
                name,
                () =>
                    SendAsync(
                        HttpMethod.Post,
                        $"/subscriptions/paused?name={Uri.EscapeDataString(name)}&value={(isPaused ? "true" : "false")}",
                        null,
                        null,
                        isFound: true,
                        cancellationToken
                    )
            )
            .ConfigureAwait(false);

    public Task<IReadOnlyList<SubscriptionState>> SubscriptionStatesAsync(
        string? name,
        CancellationToken cancellationToken
    ) =>
        NamingAsync(
            name ?? "",
            async () =>
                SubscriptionStates.Read(
                    (
                        await GetAsync(
                                "/subscriptions/states" + (name is null ? "" : "?name=" + Uri.EscapeDataString(name)),
                                cancellationToken
                            )
                            .ConfigureAwait(false)
                    ).Span
                )
        );

    public Task<ISubscriptionConnection> ConnectAsync(
        string subscription,
        SubscribeOptions options,
        CancellationToken cancellationToken
    ) =>
        NamingAsync(
            subscription,
            async () =>
                await SocketSubscription.OpenAsync(this, subscription, options, cancellationToken).ConfigureAwait(false)
        );

    /// <summary>Begins a web socket through the store's HTTP client, which authenticates it like any request.</summary>
    /// <returns>The answer that switched the protocol.</returns>
    /// <exception cref="ServerException">The server refuses it.</exception>
    public async Task<HttpResponseMessage> SwitchAsync(string path, string key, CancellationToken cancellationToken)
    {
        using var request = Request(HttpMethod.Get, path, null);
        request.Headers.Connection.Add("Upgrade");
        request.Headers.Upgrade.Add(new("websocket"));
        request.Headers.TryAddWithoutValidation("Sec-WebSocket-Version", "13");
        request.Headers.TryAddWithoutValidation("Sec-WebSocket-Key", key);
        var response = await ReachAsync(request, HttpCompletionOption.ResponseHeadersRead, cancellationToken)
            .ConfigureAwait(false);
        if (response.StatusCode == System.Net.HttpStatusCode.SwitchingProtocols)
            return response;
        using (response)
        {
            if (response.IsSuccessStatusCode)
            {
                throw new ServerException(
                    $"{request.RequestUri} answered with status {(int)response.StatusCode} and no web socket; is it the address of a Pipeline server?",
                    404
                );
            }

            throw await HttpErrors.ReadAsync(response, null, cancellationToken).ConfigureAwait(false);
        }
    }

    private static async Task<T> NamingAsync<T>(string subscription, Func<Task<T>> call)
    {
        try
        {
            return await call().ConfigureAwait(false);
        }
        catch (ServerException e)
        {
            throw SubscriptionMessages.Error(subscription, e);
        }
        catch (ObjectDisposedException e)
        {
            throw SubscriptionMessages.Closed(subscription, e);
        }
    }

    private static async Task NamingAsync(string subscription, Func<ValueTask<ReadOnlyMemory<byte>>> call) =>
        await NamingAsync(subscription, async () => (await call().ConfigureAwait(false)).Length).ConfigureAwait(false);
}
